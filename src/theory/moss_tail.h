// How far below its mean the MOSS index of one action can fall, over all its plays (docs/warden.md,
// Lemma 2): with S_n the sum of n differences of mean 0 and range 1, and W(n;B) =
// sqrt(log⁺(B/n)/(2n)), the shortfall is sup_n (S_n/n - W(n;B))⁺. In units of 1/√B its law does not
// depend on B.
#pragma once

namespace armature {

/// At least P(shortfall > y/√B), for every B > 0; never rises in y.
double moss_tail(double y);

/// At least √B·E(shortfall - y/√B)⁺, for every B > 0; never rises in y. At 0 it is c₁: the expected
/// shortfall is at most c₁/√B.
double moss_excess(double y);

}  // namespace armature
