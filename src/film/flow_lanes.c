// The flow of a film, several vertices or edges side by side. docs/theory/film.md, eq. (5)-(16), (41).
#include "film/flow_lanes.h"

#include "film/constants.h"
#include "film/parts.h"

// Calls a function for vertices or edges [first, end), as many at a time as a register has lanes; the last ones may be
// done twice. False: there are too few.
static bool by_lanes(dr_flow *f, int first, int end, void (*call)(dr_flow *, int))
{
    if (end - first < DR_LANES) return false;
    for (int i = first; i + DR_LANES < end; i += DR_LANES) call(f, i);
    call(f, end - DR_LANES);
    return true;
}

// section: over pi
DR_INLINE dr_lanes height_lanes(dr_lanes r, dr_lanes section)
{
    return section / (r + dr_lanes_sqrt(r * r + section));
}

static void measure_lanes(dr_flow *f, int v)
{
    dr_lanes r = dr_lanes_load(f->host->radius + v), area = dr_lanes_load(f->V + v) * dr_lanes_load(f->shorter + v);
    dr_lanes h = height_lanes(r, area * (1.0 / DR_PI));
    dr_lanes_store(f->area + v, area);
    dr_lanes_store(f->h + v, h);
    dr_lanes_store(f->surface + v, r + h);
}

bool dr_flow_lanes_measure(dr_flow *f)
{
    return by_lanes(f, 0, f->count, measure_lanes);
}

// ---- pressure and tension, (7)-(10)

// dr_film_hoop_pressure()
DR_INLINE dr_lanes hoop_lanes(dr_lanes H, dr_lanes r, dr_lanes coarse, dr_lanes *tension)
{
    dr_lanes c = dr_lanes_larger(coarse, r), low = dr_lanes_smaller(H, c), over = 1.0 / (c * c), high = H - low;
    dr_lanes sum = (low - r) * (low - r) * (low + 2.0 * r) * over * (1.0 / 3.0);
    dr_lanes_mask fine = (dr_lanes_mask)(c <= r), wide = (dr_lanes_mask)(H > c);
    dr_lanes inverse = 1.0 / H;
    sum = dr_lanes_select(fine, dr_lanes_all(0.0), sum) + high * (1.0 - r * r * inverse * over * c);
    *tension = DR_PI * sum;
    return dr_lanes_select(wide, inverse, (2.0 * c - H) * over);
}

// slant()
DR_INLINE dr_lanes slant_lanes(dr_lanes H, dr_lanes slope, dr_lanes l)
{
    dr_lanes square = slope * slope, root = dr_lanes_sqrt(1.0 + square), step = slope * l;
    return square / (1.0 + root) * l + (2.0 * H - step) * slope / root;
}

// press() inside of a strand, where hoops are.
static void press_lanes(dr_flow *f, int v)
{
    dr_lanes here = dr_lanes_load(f->surface + v), A = dr_lanes_load(f->area + v),
             r = dr_lanes_load(f->host->radius + v), sigma = dr_lanes_load(f->sigma + v), tension;
    dr_lanes rise = (dr_lanes_load(f->surface + v + 1) - here) * dr_lanes_load(f->steeper + v),
             fall = (here - dr_lanes_load(f->surface + v - 1)) * dr_lanes_load(f->steeper + v - 1);
    dr_lanes slants = slant_lanes(here, fall, dr_lanes_load(f->l + v - 1)) +
                      slant_lanes(here, -rise, dr_lanes_load(f->l + v)),
             slope2 = dr_lanes_larger(rise * fall, dr_lanes_all(0.0));
    dr_lanes s = 1.0 / dr_lanes_sqrt(1.0 + slope2), less = -slope2 * s * s / (1.0 + s); // s - 1
    dr_lanes curved = 0.5 * slants * dr_lanes_load(f->shorter + v) / here;
    dr_lanes hoop = hoop_lanes(here, r, DR_FILM_BEAD * dr_lanes_load(f->cell + v), &tension);
    dr_lanes_store(f->p + v, sigma * (hoop + curved));
    dr_lanes_store(f->N + v, sigma * (tension + 2.0 * DR_PI * here * less - A * curved));
}

bool dr_flow_lanes_press(dr_flow *f)
{
    return by_lanes(f, 2, f->count - 2, press_lanes);
}

// ---- friction, (11)

// The logarithm of a number of at least 1, to a few roundings: 2 atanh((m - 1)/(m + 1)) of its mantissa m, between
// sqrt(1/2) and sqrt(2).
DR_INLINE dr_lanes logarithm_lanes(dr_lanes x)
{
    dr_lanes_mask bits = (dr_lanes_mask)x,
                  exponent = (bits - INT64_C(0x3fe6a09e667f3bcd)) >> 52; // x is at least 1: not negative
    dr_lanes m = (dr_lanes)(bits - (exponent << 52));
    dr_lanes whole = (dr_lanes)(exponent + INT64_C(0x4330000000000000)) - 4503599627370496.0;
    dr_lanes t = (m - 1.0) / (m + 1.0), t2 = t * t, t4 = t2 * t2, t8 = t4 * t4;
    dr_lanes low = 1.0 + t2 * (1.0 / 3.0) + t4 * (1.0 / 5.0 + t2 * (1.0 / 7.0));
    dr_lanes middle = 1.0 / 9.0 + t2 * (1.0 / 11.0) + t4 * (1.0 / 13.0 + t2 * (1.0 / 15.0));
    dr_lanes high = 1.0 / 17.0 + t2 * (1.0 / 19.0) + t4 * (1.0 / 21.0 + t2 * (1.0 / 23.0));
    return whole * 0.6931471805599453 + 2.0 * t * (low + t8 * (middle + t8 * high));
}

// dr_film_mobility()
DR_INLINE dr_lanes mobility_lanes(dr_lanes r, dr_lanes h, double slip)
{
    dr_lanes x = h / r, H = 1.0 + x, H2 = H * H, H4 = H2 * H2;
    dr_lanes thin =
        x * x * x *
        (16.0 / 3.0 +
         x * (16.0 / 3.0 +
              x * (0.8 + x * (-2.0 / 15.0 + x * (4.0 / 105.0 + x * (-1.0 / 70.0 + x * (2.0 / 315.0 - x / 315.0)))))));
    dr_lanes thick = 4.0 * H4 * logarithm_lanes(H) - 3.0 * H4 + 4.0 * H2 - 1.0;
    dr_lanes q = dr_lanes_select((dr_lanes_mask)(x < DR_FILM_THIN), thin, thick),
             whole = 0.125 * DR_PI * r * r * r * r * q;
    if (!(slip > 0.0)) return whole;
    dr_lanes area = DR_PI * h * (h + 2.0 * r);
    return whole + slip * area * area / (2.0 * DR_PI * r);
}

// friction_rate() inside of a strand, of one liquid.
static void friction_lanes(dr_flow *f, int e)
{
    dr_lanes A = 0.5 * (dr_lanes_load(f->area + e) + dr_lanes_load(f->area + e + 1)),
             r = 0.5 * (dr_lanes_load(f->host->radius + e) + dr_lanes_load(f->host->radius + e + 1));
    dr_lanes h = height_lanes(r, A * (1.0 / DR_PI));
    dr_lanes_mask wet = (dr_lanes_mask)(A > 0.0);
    dr_lanes one = dr_lanes_all(1.0), mobility = mobility_lanes(r, dr_lanes_select(wet, h, one), f->law->slip);
    dr_lanes rate = (f->mu[e] / f->rho[e]) * A / mobility;
    dr_lanes_store(f->rate + e, dr_lanes_select(wet, rate, dr_lanes_all(0.0)));
}

bool dr_flow_lanes_rub(dr_flow *f)
{
    return by_lanes(f, 1, f->count - 2, friction_lanes);
}

// ---- forces

bool dr_flow_lanes_drive(dr_flow *f, int e, double dt)
{
    dr_lanes M = dr_lanes_load(f->M + e) + dr_lanes_load(f->M + e + 1), mass = 0.5 * M,
             V = 0.5 * (dr_lanes_load(f->V + e) + dr_lanes_load(f->V + e + 1));
    dr_lanes taper = dr_lanes_load(f->host->radius + e + 1) - dr_lanes_load(f->host->radius + e);
    dr_lanes_mask plain = (dr_lanes_mask)(V > f->dry) & (dr_lanes_mask)(taper == 0.0);
    for (int k = 0; k < DR_LANES; k++) {
        if (!plain[k]) return false;
    }
    dr_lanes N = dr_lanes_load(f->N + e + 1) - dr_lanes_load(f->N + e);
    dr_lanes pulled = dr_lanes_load(f->momentum + e) + dt * (N + mass * dr_lanes_load(f->pull + e));
    dr_lanes slow = 1.0 / (1.0 + dt * dr_lanes_load(f->rate + e));
    dr_lanes_store(f->u + e, pulled * slow / mass);
    dr_lanes_store(f->rub + e, dr_lanes_load(f->rub + e) + pulled * (1.0 - slow));
    dr_lanes_store(f->lag + e, (dr_lanes_load(f->lag + e) + dt) * slow);
    return true;
}

// ---- liquid that flows

// The one of two that is nearer to nought, nought where they differ in sign.
DR_INLINE dr_lanes minmod_lanes(dr_lanes a, dr_lanes b)
{
    dr_lanes_mask near = (dr_lanes_mask)(dr_lanes_absolute(a) < dr_lanes_absolute(b)),
                  apart = (dr_lanes_mask)(a * b <= 0.0);
    return dr_lanes_select(apart, dr_lanes_all(0.0), dr_lanes_select(near, a, b));
}

// before, on: differences of sections over lengths on both sides
DR_INLINE dr_lanes slope_lanes(dr_lanes before, dr_lanes on)
{
    return minmod_lanes(minmod_lanes(2.0 * on, 2.0 * before), 0.5 * (on + before));
}

DR_INLINE dr_lanes rise_lanes(const dr_flow *f, int e)
{
    return (dr_lanes_load(f->area + e + 1) - dr_lanes_load(f->area + e)) * dr_lanes_load(f->steeper + e);
}

static void flux_lanes(dr_flow *f, int e)
{
    dr_lanes u = dr_lanes_load(f->u + e), zero = dr_lanes_all(0.0), here = rise_lanes(f, e);
    dr_lanes low = slope_lanes(rise_lanes(f, e - 1), here), high = slope_lanes(here, rise_lanes(f, e + 1));
    dr_lanes left = dr_lanes_larger(1.0 - dr_lanes_absolute(u) * f->dt * dr_lanes_load(f->steeper + e), zero);
    dr_lanes reach = 0.5 * dr_lanes_load(f->l + e) * left;
    dr_lanes section = dr_lanes_select((dr_lanes_mask)(u > 0.0), dr_lanes_load(f->area + e) + low * reach,
                                       dr_lanes_load(f->area + e + 1) - high * reach);
    dr_lanes_store(f->flux + e, u * dr_lanes_larger(section, zero));
}

bool dr_flow_lanes_flux(dr_flow *f)
{
    return by_lanes(f, 1, f->count - 2, flux_lanes);
}

// The speed of what leaves edge e, `passes` of it, towards higher vertices or lower ones.
DR_INLINE dr_lanes leave_lanes(const dr_flow *f, int e, dr_lanes passes, double side)
{
    dr_lanes here = dr_lanes_load(f->share + e), u = dr_lanes_load(f->u + e), zero = dr_lanes_all(0.0);
    dr_lanes_mask fit = (dr_lanes_mask)(here > passes) & (dr_lanes_mask)(dr_lanes_load(f->share + e - 1) > 0.0) &
                        (dr_lanes_mask)(dr_lanes_load(f->share + e + 1) > 0.0);
    dr_lanes change = minmod_lanes(dr_lanes_load(f->u + e + 1) - u, u - dr_lanes_load(f->u + e - 1));
    dr_lanes half = side * (1.0 - passes / dr_lanes_select(fit, here, dr_lanes_all(1.0))) * change;
    return u + dr_lanes_select(fit, half, zero);
}

static void shift_lanes(dr_flow *f, int v)
{
    dr_lanes through = f->dt * (0.5 * (dr_lanes_load(f->G + v - 1) + dr_lanes_load(f->G + v))),
             passes = dr_lanes_absolute(through);
    dr_lanes speed = dr_lanes_select((dr_lanes_mask)(through > 0.0), leave_lanes(f, v - 1, passes, 0.5),
                                     leave_lanes(f, v, passes, -0.5));
    dr_lanes_store(f->passes + v, passes);
    dr_lanes_store(f->shift + v, through * speed);
}

bool dr_flow_lanes_shift(dr_flow *f)
{
    return by_lanes(f, 2, f->count - 2, shift_lanes);
}

static void lean_lanes(dr_flow *f, int e)
{
    dr_lanes mass = f->dt * dr_lanes_load(f->G + e), low = dr_lanes_load(f->mass + e) + dr_lanes_load(f->M + e),
             high = dr_lanes_load(f->mass + e + 1) + dr_lanes_load(f->M + e + 1);
    dr_lanes_mask on = (dr_lanes_mask)(mass > 0.0);
    dr_lanes share = 0.5 * (1.0 - dr_lanes_absolute(mass) / dr_lanes_select(on, low, high));
    dr_lanes_store(f->lean + e, dr_lanes_select(on, share, 1.0 - share));
}

bool dr_flow_lanes_lean(dr_flow *f)
{
    return by_lanes(f, 0, f->count - 1, lean_lanes);
}

// ---- edges that share momentum

// What an edge is given beyond what falls, inside of a strand where nothing pushes besides tension and weight.
static void excess_lanes(dr_flow *f, int e)
{
    dr_lanes u = dr_lanes_load(f->u + e), pull = dr_lanes_load(f->pull + e);
    dr_lanes rho = dr_lanes_select((dr_lanes_mask)(u > 0.0), dr_lanes_load(f->rho + e), dr_lanes_load(f->rho + e + 1));
    dr_lanes falls = dr_lanes_load(f->p + e) - dr_lanes_load(f->p + e + 1) + rho * pull * dr_lanes_load(f->l + e);
    dr_lanes mass = 0.5 * (dr_lanes_load(f->M + e) + dr_lanes_load(f->M + e + 1));
    dr_lanes N = dr_lanes_load(f->N + e + 1) - dr_lanes_load(f->N + e);
    dr_lanes power = u * (N + mass * pull) - dr_lanes_load(f->flux + e) * falls;
    dr_lanes_store(f->excess + e, dr_lanes_larger(power, dr_lanes_all(0.0)));
}

bool dr_flow_lanes_excess(dr_flow *f)
{
    return by_lanes(f, 1, f->count - 2, excess_lanes);
}

static void sharing_lanes(dr_flow *f, int v)
{
    dr_lanes low = dr_lanes_load(f->u + v - 1), high = dr_lanes_load(f->u + v), zero = dr_lanes_all(0.0);
    dr_lanes power = dr_lanes_select((dr_lanes_mask)(low > 0.0), zero, dr_lanes_load(f->excess + v - 1)) +
                     dr_lanes_select((dr_lanes_mask)(high > 0.0), dr_lanes_load(f->excess + v), zero);
    dr_lanes here = dr_lanes_load(f->M + v), own = 0.5 * (dr_lanes_load(f->M + v - 1) + here),
             next = 0.5 * (here + dr_lanes_load(f->M + v + 1)), change = low - high;
    dr_lanes all = own * next / (own + next), most = 0.5 * all * change * change;
    dr_lanes_mask any = (dr_lanes_mask)(most > 0.0) & (dr_lanes_mask)(power > 0.0);
    dr_lanes one = dr_lanes_all(1.0), lost = f->dt * power / dr_lanes_select(any, most, one);
    dr_lanes part = one - dr_lanes_sqrt(one - dr_lanes_smaller(lost, one));
    dr_lanes_store(f->shift + v, dr_lanes_select(any, part * all * change, zero));
}

bool dr_flow_lanes_sharing(dr_flow *f)
{
    return by_lanes(f, 2, f->count - 2, sharing_lanes);
}

// ---- how long a sub-step may be

typedef struct rates {
    dr_lanes out, wave;
} rates;

DR_INLINE void rate_lanes(const dr_flow *f, int v, rates *most)
{
    dr_lanes zero = dr_lanes_all(0.0), A = dr_lanes_load(f->area + v), next = dr_lanes_load(f->area + v + 1);
    dr_lanes out = dr_lanes_larger(dr_lanes_load(f->u + v), zero) - dr_lanes_smaller(dr_lanes_load(f->u + v - 1), zero);
    dr_lanes leaves = out * dr_lanes_load(f->shorter + v), steeper = dr_lanes_load(f->steeper + v);
    most->out =
        dr_lanes_larger(most->out, dr_lanes_select((dr_lanes_mask)(dr_lanes_load(f->V + v) > 0.0), leaves, zero));
    dr_lanes_mask thicker = (dr_lanes_mask)(A > next);
    dr_lanes section = dr_lanes_select(thicker, A, next),
             surface = dr_lanes_select(thicker, dr_lanes_load(f->surface + v), dr_lanes_load(f->surface + v + 1));
    dr_lanes steep2 = steeper * steeper;
    most->wave = dr_lanes_larger(most->wave, section / surface * steep2 * steep2);
}

bool dr_flow_lanes_rate(const dr_flow *f, double *rate, double *squared)
{
    int first = 1, end = f->count - 1; // vertices with an edge on either side
    rates most = {dr_lanes_all(0.0), dr_lanes_all(0.0)};
    if (end - first < DR_LANES) return false;
    for (int v = first; v + DR_LANES < end; v += DR_LANES) rate_lanes(f, v, &most);
    rate_lanes(f, end - DR_LANES, &most);
    double wave = 0.0;
    for (int k = 0; k < DR_LANES; k++) {
        *rate = most.out[k] > *rate ? most.out[k] : *rate;
        wave = most.wave[k] > wave ? most.wave[k] : wave;
    }
    wave *= f->sigma[0] / (2.0 * DR_PI * f->rho[0]);
    *squared = wave > *squared ? wave : *squared;
    return true;
}
