// drench: liquid meeting thin things. Everything public.
#ifndef DRENCH_DRENCH_H
#define DRENCH_DRENCH_H

#include "drench/export.h"
#include "drench/frame.h"
#include "drench/render.h"
#include "drench/report.h"
#include "drench/result.h"
#include "drench/scene.h"
#include "drench/status.h"
#include "drench/version.h"
#include "drench/view.h"
#include "drench/world.h"

#endif
