// Certificates made on the spot.
#pragma once

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <functional>
#include <string>

#include "base/file.h"

namespace armature::service::test {

inline std::string pem_of(const std::function<void(BIO*)>& write) {
  BIO* memory = BIO_new(BIO_s_mem());
  write(memory);
  char* bytes = nullptr;
  const long size = BIO_get_mem_data(memory, &bytes);
  std::string text(bytes, static_cast<std::size_t>(size));
  BIO_free(memory);
  return text;
}

/// For localhost, signed by itself; every one of them has another key.
inline void write_certificate(const std::string& certificate_file, const std::string& key_file) {
  EVP_PKEY* key = EVP_EC_gen("P-256");
  X509* certificate = X509_new();
  X509_set_version(certificate, 2);
  ASN1_INTEGER_set(X509_get_serialNumber(certificate), 1);
  X509_gmtime_adj(X509_getm_notBefore(certificate), -3600);
  X509_gmtime_adj(X509_getm_notAfter(certificate), 3600);
  X509_set_pubkey(certificate, key);
  X509_NAME* name = X509_get_subject_name(certificate);
  X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC,
                             reinterpret_cast<const unsigned char*>("localhost"), -1, -1, 0);
  X509_set_issuer_name(certificate, name);
  X509_EXTENSION* also =
      X509V3_EXT_conf_nid(nullptr, nullptr, NID_subject_alt_name, "DNS:localhost");
  X509_add_ext(certificate, also, -1);
  X509_EXTENSION_free(also);
  X509_sign(certificate, key, EVP_sha256());
  write_file(certificate_file, pem_of([&](BIO* to) { PEM_write_bio_X509(to, certificate); }));
  write_file(key_file, pem_of([&](BIO* to) {
               PEM_write_bio_PrivateKey(to, key, nullptr, nullptr, 0, nullptr, nullptr);
             }));
  X509_free(certificate);
  EVP_PKEY_free(key);
}

}  // namespace armature::service::test
