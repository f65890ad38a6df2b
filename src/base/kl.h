// The Kullback–Leibler divergence between Bernoulli laws, and the interval of means it allows.
#pragma once

namespace armature {

/// kl(p,q) = p·log(p/q) + (1-p)·log((1-p)/(1-q)), with 0·log 0 = 0; infinite where q excludes p.
double bernoulli_kl(double p, double q);
/// The largest u in [mean,1] with kl(mean,u) ≤ budget. Means are clamped to [0,1].
double kl_upper(double mean, double budget);
/// The smallest l in [0,mean] with kl(mean,l) ≤ budget.
double kl_lower(double mean, double budget);

}  // namespace armature
