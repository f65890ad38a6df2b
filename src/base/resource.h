// Files compiled into the program. The assembler copies them; the compiler never sees their bytes.
// CMakeLists.txt names the paths and makes who uses this depend on the files.
#pragma once

#include <string_view>

#define ARMATURE_RESOURCE(name, path)            \
  extern "C" const char armature_##name[];       \
  extern "C" const char armature_##name##_end[]; \
  __asm__(                                       \
      ".pushsection .rodata\n"                   \
      "armature_" #name                          \
      ":\n"                                      \
      ".incbin \"" path                          \
      "\"\n"                                     \
      "armature_" #name                          \
      "_end:\n"                                  \
      ".byte 0\n"                                \
      ".popsection\n")

// The zero byte behind each file is no part of its view.
#define ARMATURE_VIEW(name)         \
  std::string_view(armature_##name, \
                   static_cast<std::size_t>(armature_##name##_end - armature_##name))
