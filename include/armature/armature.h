// All of armature's public door at once.
#pragma once

#include "armature/conformance.h"
#include "armature/environment.h"
#include "armature/error.h"
#include "armature/families.h"
#include "armature/lab.h"
#include "armature/matrix.h"
#include "armature/model.h"
#include "armature/parameters.h"
#include "armature/policy.h"
#include "armature/random.h"
#include "armature/report.h"
#include "armature/simulate.h"
#include "armature/state.h"
#include "armature/study.h"
#include "armature/theory.h"
#include "armature/version.h"
