/* real_test.c - the logarithm is rounded correctly, and its neighbours are as near as they promise;
 * so a sketch has one size on every host. */
#include "base/real.h"

#include "base/bits.h"
#include "support/check.h"

#include <math.h>

/* How many doubles lie from a to b, for two of the same sign. */
static uint64_t steps_between(double a, double b)
{
    uint64_t x = ink__bits_of_double(a), y = ink__bits_of_double(b);

    return x > y ? x - y : y - x;
}

static void check_near(const char *what, double x, double found, double expected, uint64_t steps)
{
    if (steps_between(found, expected) > steps)
        fail_msg("%s of %a is %a, expected %a within %llu steps", what, x, found, expected,
                 (unsigned long long)steps);
}

static uint64_t random_state;

/* Between 0 and 1. */
static double next_random(void)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u; /* Knuth's MMIX */
    return (double)((random_state ^ random_state >> 29) >> 11) * 0x1p-53;
}

/* ---- Logarithms --------------------------------------------------------------------------- */

/* The nearest double to the logarithm, by mpmath 1.4.1 with 400 bits: denormals, powers of two,
 * near 1, around the square root of 2 where the argument is split, rates and sizes, random bits. */
static const struct {
    double x, ln;
} logarithms[] = {
    {0x0.0000000000001p-1022, -0x1.74385446d71c3p+9},
    {0x0.0000000000002p-1022, -0x1.73df9b3adb335p+9},
    {0x0.0000000000003p-1022, -0x1.73abb4f301b42p+9},
    {0x0.fffffffffffffp-1022, -0x1.6232bdd7abcd2p+9},
    {0x1p-1022, -0x1.6232bdd7abcd2p+9},
    {0x0.8p-1022, -0x1.628b76e3a7b61p+9},
    {0x0.0123456789abcp-1022, -0x1.64e8009ed5763p+9},
    {0x1.fffffffffffffp+1023, 0x1.62e42fefa39efp+9},
    {0x1p+0, 0x0p+0},
    {0x0.0000001p-1022, -0x1.6be6fb2739468p+9},
    {0x1p-1021, -0x1.61da04cbafe44p+9},
    {0x1p-500, -0x1.5a92d6d005c94p+8},
    {0x1p-100, -0x1.1542457337d43p+6},
    {0x1p-54, -0x1.2b708872320e2p+5},
    {0x1p-53, -0x1.25e4f7b2737fap+5},
    {0x1p-10, -0x1.bb9d3beb8c86bp+2},
    {0x1p-2, -0x1.62e42fefa39efp+0},
    {0x1p-1, -0x1.62e42fefa39efp-1},
    {0x1p+1, 0x1.62e42fefa39efp-1},
    {0x1p+2, 0x1.62e42fefa39efp+0},
    {0x1p+3, 0x1.0a2b23f3bab73p+1},
    {0x1p+10, 0x1.bb9d3beb8c86bp+2},
    {0x1p+31, 0x1.57cd0e702682p+4},
    {0x1p+32, 0x1.62e42fefa39efp+4},
    {0x1p+52, 0x1.205966f2b4f12p+5},
    {0x1p+53, 0x1.25e4f7b2737fap+5},
    {0x1p+63, 0x1.5d589f2fe5107p+5},
    {0x1p+64, 0x1.62e42fefa39efp+5},
    {0x1p+100, 0x1.1542457337d43p+6},
    {0x1p+512, 0x1.62e42fefa39efp+8},
    {0x1p+1000, 0x1.5a92d6d005c94p+9},
    {0x1p+1023, 0x1.628b76e3a7b61p+9},
    {0x1.0000000000001p+0, 0x1.fffffffffffffp-53},
    {0x1.fffffffffffffp-1, -0x1p-53},
    {0x1.0000000000002p+0, 0x1.ffffffffffffep-52},
    {0x1.ffffffffffffep-1, -0x1.0000000000001p-52},
    {0x1.0000000000003p+0, 0x1.7fffffffffffep-51},
    {0x1.ffffffffffffdp-1, -0x1.8000000000001p-52},
    {0x1.0000000000007p+0, 0x1.bfffffffffffap-50},
    {0x1.ffffffffffff9p-1, -0x1.c000000000003p-51},
    {0x1.0000000000064p+0, 0x1.8ffffffffffb2p-46},
    {0x1.fffffffffff9cp-1, -0x1.9000000000027p-47},
    {0x1.0000000003039p+0, 0x1.81c7fffffdbaap-39},
    {0x1.fffffffffcfc7p-1, -0x1.81c800000122bp-40},
    {0x1.00000001p+0, 0x1.ffffffffp-33},
    {0x1.ffffffffp-1, -0x1.000000004p-33},
    {0x1.000004p+0, 0x1.fffffc00000abp-23},
    {0x1.fffffcp-1, -0x1.0000010000015p-23},
    {0x1.001p+0, 0x1.fff000aaa2ab1p-13},
    {0x1.fffp-1, -0x1.0004001555d56p-13},
    {0x1.1p+0, 0x1.f0a30c01162a6p-5},
    {0x1.fp-1, -0x1.0415d89e74444p-5},
    {0x1.6a09e667f3bcbp+0, 0x1.62e42fefa39ebp-2},
    {0x1.6a09e667f3bcbp-1, -0x1.62e42fefa39f4p-2},
    {0x1.6a09e667f3bcbp+5, 0x1.e7f9c1e980fa8p+1},
    {0x1.6a09e667f3bccp+0, 0x1.62e42fefa39eep-2},
    {0x1.6a09e667f3bccp-1, -0x1.62e42fefa39f1p-2},
    {0x1.6a09e667f3bccp+5, 0x1.e7f9c1e980fa9p+1},
    {0x1.6a09e667f3bcdp+0, 0x1.62e42fefa39fp-2},
    {0x1.6a09e667f3bcdp-1, -0x1.62e42fefa39eep-2},
    {0x1.6a09e667f3bcdp+5, 0x1.e7f9c1e980fa9p+1},
    {0x1.6a09e667f3bcep+0, 0x1.62e42fefa39f3p-2},
    {0x1.6a09e667f3bcep-1, -0x1.62e42fefa39ebp-2},
    {0x1.6a09e667f3bcep+5, 0x1.e7f9c1e980fa9p+1},
    {0x1.6a09e667f3bcfp+0, 0x1.62e42fefa39f6p-2},
    {0x1.6a09e667f3bcfp-1, -0x1.62e42fefa39e8p-2},
    {0x1.6a09e667f3bcfp+5, 0x1.e7f9c1e980faap+1},
    {0x1.47ae147ae147bp-7, -0x1.26bb1bbb55515p+2},
    {0x1.47ae147ae147bp-6, -0x1.f4bd2b7ac1bafp+1},
    {0x1.eb851eb851eb8p-6, -0x1.c0d6e3a1428a6p+1},
    {0x1.999999999999ap-5, -0x1.7f7427b73e391p+1},
    {0x1.999999999999ap-4, -0x1.26bb1bbb55515p+1},
    {0x1.0624dd2f1a9fcp-10, -0x1.ba18a998fffap+2},
    {0x1.a36e2eb1c432dp-14, -0x1.26bb1bbb55515p+3},
    {0x1.4f8b588e368f1p-17, -0x1.7069e2aa2aa5bp+3},
    {0x1.0c6f7a0b5ed8dp-20, -0x1.ba18a998fffap+3},
    {0x1.12e0be826d695p-30, -0x1.4b927f32bffb8p+4},
    {0x1.19799812dea11p-40, -0x1.ba18a998fffap+4},
    {0x1.ccccccccccccdp-1, -0x1.af8e8210a415cp-4},
    {0x1.fae147ae147aep-1, -0x1.495453e6fd4bcp-7},
    {0x1.ff7ced916872bp-1, -0x1.064670d979b73p-10},
    {0x1.ffffde7210be9p-1, -0x1.0c6f82d74d23p-20},
    {0x1.5bf0a8b145769p+1, 0x1p+0},
    {0x1.8p+1, 0x1.193ea7aad030bp+0},
    {0x1.4p+2, 0x1.9c041f7ed8d33p+0},
    {0x1.8p+2, 0x1.cab0bfa2a2002p+0},
    {0x1.cp+2, 0x1.f2272ae325a57p+0},
    {0x1.4p+3, 0x1.26bb1bbb55516p+1},
    {0x1.9p+6, 0x1.26bb1bbb55516p+2},
    {0x1.f4p+9, 0x1.ba18a998fffap+2},
    {0x1.e848p+19, 0x1.ba18a998fffap+3},
    {0x1.312dp+23, 0x1.01e3b843eaa73p+4},
    {0x1.7d784p+26, 0x1.26bb1bbb55516p+4},
    {0x1.dcd65p+29, 0x1.4b927f32bffb8p+4},
    {0x1.2a05f2p+33, 0x1.7069e2aa2aa5bp+4},
    {0x1.c6bf52634p+49, 0x1.144f69ff9ffc4p+5},
    {0x1.249ad2594c37dp+332, 0x1.cc845b54b54f2p+7},
    {0x1.bff2ee48e053p-333, -0x1.cc845b54b54f2p+7},
    {0x1.7e43c8800759cp+996, 0x1.5963447f87fb5p+9},
    {0x1.56e1fc2f8f359p-997, -0x1.5963447f87fb5p+9},
    {0x1.1ccf385ebc8ap+1023, 0x1.62991d5d62a5ep+9},
    {0x1.921fb54442d18p+1, 0x1.250d048e7a1bdp+0},
    {0x1.5555555555555p-2, -0x1.193ea7aad030bp+0},
    {0x1.5555555555555p-1, -0x1.9f323ecbf984dp-2},
    {0x1.0000000000001p+52, 0x1.205966f2b4f12p+5},
    {0x1.fffffffffffffp+52, 0x1.25e4f7b2737fap+5},
    {0x1p+24, 0x1.0a2b23f3bab73p+4},
    {0x1.fffep+15, 0x1.62e40fef939efp+3},
    {0x1.e70224d03ada7p-972, -0x1.508c48462af14p+9},
    {0x1.6aaa079c71e5p+415, 0x1.20011f0848c89p+8},
    {0x1.ca1fcc4293bf6p+447, 0x1.366b335f13306p+8},
    {0x1.ab312a93d5107p+673, 0x1.d3000720c28c3p+8},
    {0x1.b29179ae1ef88p-693, -0x1.dfd262d49993ep+8},
    {0x1.453825a03a67cp-660, -0x1.c93ce19016894p+8},
    {0x1.4c07fb28a7d4ep+413, 0x1.1e87a365b6fadp+8},
    {0x1.04c7fc7878ef7p+615, 0x1.aa4dd446b05f1p+8},
    {0x1.bfb2573c8fc74p+264, 0x1.6f197e9c7635ep+7},
    {0x1.71b15313e5017p+858, 0x1.298b3c3a797fbp+9},
    {0x1.b2a26f2ddb68dp+494, 0x1.56f1ac4acf6e1p+8},
    {0x1.77772fe00a5d4p-829, -0x1.1f1e36034a2d6p+9},
    {0x1.c8d6ce0f08bdp-929, -0x1.41ad62c73ee1ep+9},
    {0x1.545cd3d64474ep+34, 0x1.7da121215c10cp+4},
    {0x1.76a78ae91f17fp-641, -0x1.bbed30274829cp+8},
    {0x1.69e0e2669d42fp-862, -0x1.2a92c8555e9d7p+9},
    {0x1.0eba48b344ed5p+855, 0x1.28592fef44028p+9},
    {0x1.858b27eb3eabbp-698, -0x1.e3659d730149ep+8},
    {0x1.dbe3bdee8a964p+28, 0x1.407337f639d8ep+4},
    {0x1.efbbfd33cad9ep+571, 0x1.8c72a9c253af4p+8},
    {0x1.bf5fbb7ccfca3p+434, 0x1.2d6253f7d2748p+8},
    {0x1.ce6ca5625c925p-327, -0x1.c422b99e5432ap+7},
    {0x1.c035fda0e4b68p+885, 0x1.32ff6757716dap+9},
    {0x1.d0c59c5fb0a3dp-740, -0x1.002a90cf8e929p+9},
    {0x1.436905d6a4052p-79, -0x1.b432f5e6bb242p+5},
    {0x1.9b2ea5dd681adp+911, 0x1.3bf7290f0e985p+9},
    {0x1.f3998a0f80aap-664, -0x1.cb94c2d735f3p+8},
    {0x1.748b18b762c2ap-934, -0x1.43831bf517078p+9},
    {0x1.95bd09c587b4cp-155, -0x1.abe8bc8b58accp+6},
    {0x1.51e5d021afb09p-286, -0x1.8becd0742fdc5p+7},
    {0x1.c075decec7e6dp+113, 0x1.3b8b8b84eea6bp+6},
    {0x1.7a6414ca29d01p+556, 0x1.81c7d447066b2p+8},
    {0x1.a1e38c2bd7946p-358, -0x1.ef5034c44ca7fp+7},
    {0x1.e992be546f482p+194, 0x1.0e3ce1b86724cp+7},
    {0x1.5c67e5a7e8ec6p-247, -0x1.55cc5f1829a52p+7},
    {0x1.5fcf0f158f22fp+833, 0x1.20dad1490012fp+9},
    {0x1.7bd6fcf05540ep-357, -0x1.ee1e317d6438bp+7},
    {0x1.123c4164b180bp+489, 0x1.53048d452a7f2p+8},
    {0x1.55d9435bf0841p+650, 0x1.c2d5b942ea22dp+8},
    {0x1.8587bc4f822f9p-827, -0x1.1e680ee329882p+9},
    {0x1.14d0d08cd2b2bp-189, -0x1.05da70e938d55p+7},
    {0x1.c4f45a3a78a27p-830, -0x1.1f5eeaf792e33p+9},
    {0x1.4817171e1e2c9p+280, 0x1.84a89cd9a7fep+7},
    {0x1.734c2f6a88948p-104, -0x1.1edca6e01da8bp+6},
    {0x1.4b402f74373e8p-312, -0x1.b002296a0edcbp+7},
    {0x1.5dd7abdd2f741p+78, 0x1.b305b47455088p+5},
    {0x1.82fb1dbdbaa71p-770, -0x1.0aa7b2600e03bp+9},
    {0x1.15dbc3c402b03p+785, 0x1.1019ea92ebd5dp+9},
    {0x1.a1e241ceb361cp-793, -0x1.12967cf350f5ep+9},
    {0x1.26d3e4f375191p+858, 0x1.296e4574ca7f7p+9},
    {0x1.fee4d9e6c3d48p-506, -0x1.5e0a9f021d9d6p+8},
    {0x1.a8ee9cd3a930ap+227, 0x1.3bb3cb7db2855p+7},
    {0x1.dd63f59a295e7p+312, 0x1.b1c528e548a69p+7},
    {0x1.acc8200414524p-979, -0x1.5309a40f2b829p+9},
    {0x1.9323e4354fc75p-751, -0x1.040cb9face794p+9},
    {0x1.517dc4ff7c80ep+808, 0x1.182b6da9ab795p+9},
    {0x1.15067ad0ba3e1p-430, -0x1.29f96f6887295p+8},
    {0x1.59271d6dd268dp+282, 0x1.87885a657d091p+7},
    {0x1.1e6c5ef864646p-715, -0x1.ef7ce9ae157d8p+8},
    {0x1.d41e19410f94ap+319, 0x1.bb6f5b3215aebp+7},
    {0x1.605d73c9e53f4p-1, -0x1.7e9feb53cfb32p-2},
    {0x1.426c0c93b8c7p-2, -0x1.27d6147adbc9cp+0},
    {0x1.428a43b217ba7p-1, -0x1.d930001b0924p-2},
    {0x1.14360062b523p-1, -0x1.3bfc5d524ffe4p-1},
    {0x1.50307154317c8p-3, -0x1.ce93ef3ffa07fp+0},
    {0x1.0e667b57da243p-1, -0x1.46df215ae6154p-1},
    {0x1.f77b1501fd3ap-4, -0x1.0c50f4f9b8a26p+1},
    {0x1.a6ee10fcbde8fp-1, -0x1.8768e92e14283p-3},
    {0x1.d64f6b2f48918p-2, -0x1.8e6067d5aa014p-1},
    {0x1.36bfd2f604c99p-1, -0x1.ff527d0f313eep-2},
    {0x1.2a490645e77fp-2, -0x1.3bc183db54d8dp+0},
    {0x1.24f2ec071b958p-1, -0x1.1ddcf4c246563p-1},
    {0x1.5511733857edcp-1, -0x1.9ffdf965c8b9p-2},
    {0x1.db766a7dd89d8p-1, -0x1.2f40e00e8d17bp-4},
    {0x1.910cc5ba034d5p-1, -0x1.f43376fe4054dp-3},
    {0x1.6e9a9665fad41p-1, -0x1.560f4ea947d32p-2},
    {0x1.8bb3decd2e02ap-2, -0x1.e6d06a913faa3p-1},
    {0x1.e6c765a1d8968p-4, -0x1.10a2674cfc74ep+1},
    {0x1.c8a331a6579fp-5, -0x1.7189fcc2a370ep+1},
    {0x1.c7683717aae1ep-2, -0x1.9edd07e91d9c2p-1},
    {0x1.2bd3be36a5504p-3, -0x1.ebe1b7ece98ffp+0},
    {0x1.8235308ff5034p-3, -0x1.ab12016570914p+0},
    {0x1.b7c5067272cc9p-1, -0x1.37725da77dfe2p-3},
    {0x1.91ee2c50a4ed6p-1, -0x1.efb5b222cc84dp-3},
    {0x1.85f5fd5a7bc2ap-1, -0x1.16d015a8302b3p-2},
    {0x1.c4a26281c5937p-1, -0x1.f8ca95f89886fp-4},
    {0x1.f342d89b2c189p-1, -0x1.9ccd19e3487c6p-6},
    {0x1.e7aadb078e354p-1, -0x1.8ee06d4739fcfp-5},
    {0x1.1e533172556e4p-2, -0x1.463b6ebff26d4p+0},
    {0x1.8dd3f5c1e78ccp-3, -0x1.a37b3e9fbfbdbp+0},
    {0x1.97b70582f5d2ep-2, -0x1.d780ac9bf404bp-1},
    {0x1.6e08b6eb1ad53p-1, -0x1.57a713d4e66f4p-2},
    {0x1.b0e91346a3477p-1, -0x1.57a43d475469fp-3},
    {0x1.1e04bfc4fa449p-1, -0x1.2a1f066781e91p-1},
    {0x1.18736b4dd5c83p-1, -0x1.342fa8f288ff5p-1},
    {0x1.dca215374f6f6p-1, -0x1.252e7ca63b632p-4},
    {0x1.3587a80fe4775p-1, -0x1.01ac97c34525ap-1},
    {0x1.3559110121575p-1, -0x1.01f9ae5d52f84p-1},
    {0x1.01b05111979c4p-2, -0x1.61354a4df5491p+0},
    {0x1.be58a1b8edf52p-2, -0x1.a927289e10f3fp-1},
    {0x1.0028a2ebabd23p+0, 0x1.44fd92d3ea0fcp-11},
    {0x1.ffef7607493bep-1, -0x1.08a3d1a99e8dep-13},
    {0x1.ff95dc116d93p-1, -0x1.a8bbc2263b179p-11},
    {0x1.ffe6907332819p-1, -0x1.9702e9160e245p-13},
    {0x1.000f2975ca95fp+0, 0x1.e5205bbba755cp-13},
    {0x1.ff82d192380ap-1, -0x1.f4f6f77b8535cp-11},
    {0x1.ffbaf8845e031p-1, -0x1.14308d3d469dbp-11},
    {0x1.001d7f67390cp+0, 0x1.d7db44c0f4a77p-12},
    {0x1.ff844171fca65p-1, -0x1.ef36125cb745cp-11},
    {0x1.003e17eccec7ap+0, 0x1.f08331ce89141p-11},
    {0x1.fffed87acc67dp-1, -0x1.278588e1615f2p-17},
    {0x1.00132e4d1207bp+0, 0x1.32d95274f3011p-12},
    {0x1.0004d614f837bp+0, 0x1.358251a17eb9bp-14},
    {0x1.000fe18ce2e2ep+0, 0x1.fc21d9af7f0e4p-13},
    {0x1.0018389b0a36dp+0, 0x1.83775c7eafbd4p-12},
    {0x1.ff7d2f87e7575p-1, -0x1.05c26215aa0c1p-10},
    {0x1.003a62ec67016p+0, 0x1.d2e2276a95f25p-11},
    {0x1.000c6dbf2edb4p+0, 0x1.8dae3e9bd7ddbp-13},
    {0x1.ffe7c30bae21ap-1, -0x1.83d873595dd3fp-13},
    {0x1.0022ec79064afp+0, 0x1.1750bb43896b6p-11},
    {0x0.554487e35b3c1p-1022, -0x1.62bf766227badp+9},
    {0x0.19106c1314ebep-1022, -0x1.635c2e1ec147ep+9},
    {0x0.42fbf728363dep-1022, -0x1.62de5a8ed2c1ep+9},
    {0x0.31edaaf223322p-1022, -0x1.6303f802e4df3p+9},
    {0x0.3ca180d2e706ep-1022, -0x1.62eb1bfe2e524p+9},
    {0x0.45d883dd05a78p-1022, -0x1.62d8ffce35fbdp+9},
    {0x0.ad035afd5f9f3p-1022, -0x1.6264e4aceb16bp+9},
    {0x0.476e116a03c08p-1022, -0x1.62d620e37fc55p+9},
    {0x0.5aad7b26aaaabp-1022, -0x1.62b796a639727p+9},
    {0x0.d149ae364d15fp-1022, -0x1.624c8783ab2a3p+9},
};

TEST(ln_is_rounded_correctly)
{
    for (size_t i = 0; i < sizeof logarithms / sizeof logarithms[0]; i++)
        if (ink__bits_of_double(ink__ln(logarithms[i].x)) != ink__bits_of_double(logarithms[i].ln))
            fail_msg("ln of %a is %a, expected %a", logarithms[i].x, ink__ln(logarithms[i].x),
                     logarithms[i].ln);
}

TEST(ln_stays_within_a_step_of_libm)
{
    random_state = 1;
    for (int i = 0; i < 20000; i++) {
        double x = next_random();
        check_near("ln", x, ink__ln(x), log(x), 1); /* glibc promises less than one step */
        x = ldexp(1 + x, (int)(next_random() * 2000) - 1000);
        check_near("ln", x, ink__ln(x), log(x), 1);
    }
}

TEST(ln_never_falls)
{
    /* Across 1, and across the two ends of the range that the argument is brought into. */
    static const double starts[] = {1, 0x1.6a09e667f3bcdp-1, 0x1.6a09e667f3bcdp+0, 2, 0x1p-1022};
    for (size_t i = 0; i < sizeof starts / sizeof starts[0]; i++) {
        uint64_t bits = ink__bits_of_double(starts[i]) - 1000;
        for (int j = 0; j < 2000; j++)
            CHECK(ink__ln(ink__double_of_bits(bits + (uint64_t)j)) <=
                  ink__ln(ink__double_of_bits(bits + (uint64_t)j + 1)));
    }
}

/* By mpmath, as above. */
static const struct {
    double x, ln_1p;
} logarithms_1p[] = {
    {-0x1p-1, -0x1.62e42fefa39efp-1},
    {-0x1.fef9db22d0e56p-2, -0x1.61de4e1773bf8p-1},
    {-0x1.3333333333333p-2, -0x1.6d3c324e13f4ep-2},
    {-0x1p-2, -0x1.269621134db92p-2},
    {-0x1.999999999999ap-4, -0x1.af8e8210a415ep-4},
    {-0x1.47ae147ae147bp-7, -0x1.495453e6fd4b7p-7},
    {-0x1.0624dd2f1a9fcp-10, -0x1.064670d979b6fp-10},
    {-0x1.5798ee2308c3ap-27, -0x1.5798ee3fdb764p-27},
    {-0x1.203af9ee75616p-50, -0x1.203af9ee75619p-50},
    {-0x1.56e1fc2f8f359p-997, -0x1.56e1fc2f8f359p-997},
    {0x0p+0, 0x0p+0},
    {0x1.56e1fc2f8f359p-997, 0x1.56e1fc2f8f359p-997},
    {0x1.203af9ee75616p-50, 0x1.203af9ee75613p-50},
    {0x1.5798ee2308c3ap-27, 0x1.5798ee0636111p-27},
    {0x1.0624dd2f1a9fcp-10, 0x1.060354f8c3ebfp-10},
    {0x1.47ae147ae147bp-7, 0x1.460d6ccca3677p-7},
    {0x1.999999999999ap-4, 0x1.8663f793c46c7p-4},
    {0x1p-2, 0x1.c8ff7c79a9a22p-3},
    {0x1.3333333333333p-2, 0x1.0ca937be1b9dcp-2},
    {0x1.999999999999ap-2, 0x1.588c2d913349p-2},
    {0x1.fef9db22d0e56p-2, 0x1.9e836ca267dacp-2},
    {0x1p-1, 0x1.9f323ecbf984cp-2},
    {-0x1.aad1dbcc8d29cp-2, -0x1.1418f25caf0d7p-1},
    {0x1.dcd8d95864514p-3, 0x1.acae4771bd6d5p-3},
    {-0x1.d7102d744b9e4p-2, -0x1.3b823f5d628e1p-1},
    {0x1.fef4b51fc7e1ep-2, 0x1.9e7ffd5e2e328p-2},
    {-0x1.57909ed23e6f8p-2, -0x1.a28c945f20814p-2},
    {-0x1.d2075763f1b4p-2, -0x1.36de3b1df2bap-1},
    {0x1.89d5b99a77c9ep-2, 0x1.4d397136b13abp-2},
    {0x1.f0c50c9f3e804p-3, 0x1.bcc702a03c5aep-3},
    {-0x1.72ed2d18e98f8p-3, -0x1.9937c1b91ab44p-3},
    {-0x1.ce2f10a29c2a8p-2, -0x1.335a2591b2c17p-1},
    {-0x1.7ec93e18fc638p-2, -0x1.df57e3f376638p-2},
    {-0x1.2fef646d57964p-2, -0x1.6894e5810fe7cp-2},
    {0x1.a5b38639e72aep-2, 0x1.6127b1a8c69d9p-2},
    {-0x1.3a00a5c3b693p-5, -0x1.402dc51bcbfbbp-5},
    {-0x1.978ba8e4fc9e4p-2, -0x1.03d5623de2fcfp-1},
    {0x1.e5f9c29670ep-4, 0x1.cb3daffeda0a5p-4},
    {-0x1.21b14572a8b4p-2, -0x1.548662158df9ap-2},
    {-0x1.9adfbdbc01404p-2, -0x1.069b00aba5cbcp-1},
    {-0x1.da21e2040f5b4p-3, -0x1.0da5c36296f41p-2},
    {0x1.05cf14318711p-2, 0x1.d2456e0662e7fp-3},
};

TEST(ln_1p_is_near_without_loss_around_0)
{
    for (size_t i = 0; i < sizeof logarithms_1p / sizeof logarithms_1p[0]; i++)
        check_near("ln_1p", logarithms_1p[i].x, ink__ln_1p(logarithms_1p[i].x),
                   logarithms_1p[i].ln_1p, 4);
    random_state = 2;
    for (int i = 0; i < 20000; i++) {
        double x = next_random() - 0.5;
        check_near("ln_1p", x, ink__ln_1p(x), log1p(x), 5);
        x *= 1e-9;
        check_near("ln_1p", x, ink__ln_1p(x), log1p(x), 5);
    }
}

/* ---- Exponentials ------------------------------------------------------------------------- */

/* By mpmath, as above. */
static const struct {
    double x, exp, exp_m1;
} exponentials[] = {
    {-0x1.5ep+9, 0x1.14f2b0fb9307fp-1010, -0x1p+0},
    {-0x1.5dcp+9, 0x1.c89c2e339b392p-1010, -0x1p+0},
    {-0x1.f4p+8, 0x1.9265e78d4438dp-722, -0x1p+0},
    {-0x1.91p+6, 0x1.4acd31e167ebbp-145, -0x1p+0},
    {-0x1.9p+5, 0x1.d257d547e083fp-73, -0x1p+0},
    {-0x1.4p+3, 0x1.7cd79b5647c9bp-15, -0x1.fffa0ca192a6ep-1},
    {-0x1.4p+2, 0x1.b993fe00d5376p-8, -0x1.fc8cd803fe559p-1},
    {-0x1p+1, 0x1.152aaa3bf81ccp-3, -0x1.bab5557101f8dp-1},
    {-0x1p+0, 0x1.78b56362cef38p-2, -0x1.43a54e4e98864p-1},
    {-0x1.6666666666666p-1, 0x1.fc80db9dd5542p-2, -0x1.01bf92311555fp-1},
    {-0x1.6666666666666p-2, 0x1.68cce09671f71p-1, -0x1.2e663ed31c11ep-2},
    {-0x1.6666234a87e39p-2, 0x1.68ccf83bac3cbp-1, -0x1.2e660f88a786ap-2},
    {-0x1.999999999999ap-4, 0x1.cf46d99d52b3ap-1, -0x1.85c933156a62cp-4},
    {-0x1.47ae147ae147bp-7, 0x1.fae7cfd2b9cfep-1, -0x1.460c0b518c09fp-7},
    {-0x1.4f8b588e368f1p-17, 0x1.fffeb07515653p-1, -0x1.4f8aea9acf2c9p-17},
    {-0x1.b7cdfd9d7bdbbp-34, 0x1.ffffffff2419p-1, -0x1.b7cdfd9d1d693p-34},
    {-0x1.56e1fc2f8f359p-997, 0x1p+0, -0x1.56e1fc2f8f359p-997},
    {0x0p+0, 0x1p+0, 0x0p+0},
    {0x1.56e1fc2f8f359p-997, 0x1p+0, 0x1.56e1fc2f8f359p-997},
    {0x1.cd2b297d889bcp-54, 0x1p+0, 0x1.cd2b297d889bcp-54},
    {0x1.b7cdfd9d7bdbbp-34, 0x1.000000006df38p+0, 0x1.b7cdfd9dda4e3p-34},
    {0x1.4f8b588e368f1p-17, 0x1.0000a7c5e340ep+0, 0x1.4f8bc681cdfb6p-17},
    {0x1.47ae147ae147bp-7, 0x1.0292a5d2f2226p+0, 0x1.4952e9791133fp-7},
    {0x1.999999999999ap-4, 0x1.1aec7b35a00d4p+0, 0x1.aec7b35a00d3ap-4},
    {0x1.6666234a87e39p-2, 0x1.6b47eaf92d615p+0, 0x1.ad1fabe4b5854p-2},
    {0x1.6666666666666p-2, 0x1.6b4802c805decp+0, 0x1.ad200b20177b2p-2},
    {0x1p-1, 0x1.a61298e1e069cp+0, 0x1.4c2531c3c0d38p-1},
    {0x1.62e42fefa39efp-2, 0x1.6a09e667f3bccp+0, 0x1.a827999fcef32p-2},
    {0x1.62e42fefa39efp-1, 0x1p+1, 0x1p+0},
    {0x1.6666666666666p-1, 0x1.01c2a61268987p+1, 0x1.03854c24d130dp+0},
    {0x1p+0, 0x1.5bf0a8b145769p+1, 0x1.b7e151628aed3p+0},
    {0x1.8p+0, 0x1.1ed3fe64fc541p+2, 0x1.bda7fcc9f8a83p+1},
    {0x1p+1, 0x1.d8e64b8d4ddaep+2, 0x1.98e64b8d4ddaep+2},
    {0x1.ap+1, 0x1.9ca53b781114bp+4, 0x1.8ca53b781114bp+4},
    {0x1.4p+2, 0x1.28d389970338fp+7, 0x1.26d389970338fp+7},
    {0x1.4p+3, 0x1.5829dcf95056p+14, 0x1.5825dcf95056p+14},
    {0x1.48p+4, 0x1.7d6c4f0bcdd5cp+29, 0x1.7d6c4f03cdd5cp+29},
    {0x1.9p+5, 0x1.19103e4080b45p+72, 0x1.19103e4080b45p+72},
    {0x1.9p+6, 0x1.3494a9b171bf5p+144, 0x1.3494a9b171bf5p+144},
    {0x1.9p+7, 0x1.73f60ea79f5b9p+288, 0x1.73f60ea79f5b9p+288},
    {0x1.59ad916872b02p+8, 0x1.a22ad25ccb60ep+498, 0x1.a22ad25ccb60ep+498},
    {0x1.f4p+8, 0x1.45ba2a9f7e439p+721, 0x1.45ba2a9f7e439p+721},
    {0x1.5d8p+9, 0x1.5c36fb1036d55p+1008, 0x1.5c36fb1036d55p+1008},
    {0x1.5ep+9, 0x1.d945df4f8ec8ep+1009, 0x1.d945df4f8ec8ep+1009},
    {-0x1.1b604f0da387p+8, 0x1.20ecddcaa6cap-409, -0x1p+0},
    {0x1.d238af00fc7ecp+8, 0x1.882b38efddb33p+672, 0x1.882b38efddb33p+672},
    {-0x1.bae96144cd289p+8, 0x1.026b7794bb40dp-639, -0x1p+0},
    {0x1.092ee8cceea3ep+9, 0x1.1d72f9fca4dd6p+765, 0x1.1d72f9fca4dd6p+765},
    {-0x1.d4a5ccc50814cp+8, 0x1.d88f2398d1dd9p-677, -0x1p+0},
    {-0x1.304d65d6d26efp+9, 0x1.f522f9fccc38fp-879, -0x1p+0},
    {-0x1.8a8efc196a244p+8, 0x1.b54378e9c7335p-570, -0x1p+0},
    {-0x1.b95c7d7208ccp+4, 0x1.26b52d537cf3fp-40, -0x1.fffffffffdb29p-1},
    {0x1.2077d234fa2dap+9, 0x1.44ace30055296p+832, 0x1.44ace30055296p+832},
    {0x1.dd1f31f29194p+5, 0x1.07af23056c557p+86, 0x1.07af23056c557p+86},
    {-0x1.cde601eb1c8b8p+6, 0x1.530c220e69a81p-167, -0x1p+0},
    {-0x1.9c97105b427ep+4, 0x1.bceaf2cd1da91p-38, -0x1.fffffffff218bp-1},
    {0x1.f63700c4d76p+6, 0x1.19408d90390e1p+181, 0x1.19408d90390e1p+181},
    {0x1.2151586a296cp+9, 0x1.bc0d12628c0bap+834, 0x1.bc0d12628c0bap+834},
    {0x1.0662a2bd0c308p+6, 0x1.8daffcb63be7fp+94, 0x1.8daffcb63be7fp+94},
    {-0x1.d9bab7d019a34p+8, 0x1.779575a360b42p-684, -0x1p+0},
    {-0x1.b732262ace998p+7, 0x1.237486b5838ebp-317, -0x1p+0},
    {0x1.96f9fa7d99fb8p+6, 0x1.b95643c1fdbbep+146, 0x1.b95643c1fdbbep+146},
    {-0x1.b84ee3aba93c6p+7, 0x1.4e40eef29f625p-318, -0x1p+0},
    {0x1.424ccfca619dcp+8, 0x1.f930369b80fcfp+464, 0x1.f930369b80fcfp+464},
    {0x1.0136508760c2ep-1, 0x1.a712b61c18f51p+0, 0x1.4e256c3831ea2p-1},
    {0x1.7e6841421782p-3, 0x1.348e0cdb2eda7p+0, 0x1.a47066d976d37p-3},
    {0x1.a3ba5b54426a8p-2, 0x1.81b4017f6502bp+0, 0x1.036802feca056p-1},
    {0x1.fef894708cf18p-3, 0x1.488b9edcb909cp+0, 0x1.222e7b72e426ep-2},
    {-0x1.629a81503364ap-1, 0x1.0024d9f67a6d9p-1, -0x1.ffb64c130b24ep-2},
    {0x1.513bfebb44972p-1, 0x1.eea4dca5aec6ap+0, 0x1.dd49b94b5d8d5p-1},
    {-0x1.8ccb7fb13a6a8p-2, 0x1.5b85c69af8b0cp-1, -0x1.48f472ca0e9e8p-2},
    {0x1.f3ed6c8ce64fp-1, 0x1.53d4f67038be7p+1, 0x1.a7a9ece0717cdp+0},
    {-0x1.d1cdebe0964ap-1, 0x1.9c472424c75c3p-2, -0x1.31dc6ded9c51fp-1},
    {0x1.358b3607a2dap-4, 0x1.1418a60fe0fe4p+0, 0x1.418a60fe0fe3bp-4},
    {0x1.d546ad8e697bcp-2, 0x1.94d3331ef4122p+0, 0x1.29a6663de8244p-1},
    {0x1.e0c22fe7dece4p-1, 0x1.4758146d3e58dp+1, 0x1.8eb028da7cb1ap+0},
    {0x1.0764dd7628d68p-2, 0x1.4b17b5dfd3ee7p+0, 0x1.2c5ed77f4fb9ap-2},
    {0x1.adf89d0804e2ap-1, 0x1.286e93d6af307p+1, 0x1.50dd27ad5e60ep+0},
    {-0x1.efb9c6a74395p-4, 0x1.c5a3221a6676cp-1, -0x1.d2e6ef2ccc4a4p-4},
    {0x1.9ff8f710735e4p-2, 0x1.804a8c553823dp+0, 0x1.009518aa7047ap-1},
    {0x1.26ce09d94cb3cp-1, 0x1.c74e26f4f3355p+0, 0x1.8e9c4de9e66a9p-1},
    {0x1.f628a243bff8p-5, 0x1.102ef38a1ff18p+0, 0x1.02ef38a1ff184p-4},
    {-0x1.05c8d9bfe2034p-1, 0x1.330e0f63d464p-1, -0x1.99e3e1385738p-2},
    {-0x1.52855489f3924p-1, 0x1.085149a7dd9dp-1, -0x1.ef5d6cb044c5fp-2},
};

TEST(exp_and_exp_m1_are_near)
{
    for (size_t i = 0; i < sizeof exponentials / sizeof exponentials[0]; i++) {
        double x = exponentials[i].x;
        check_near("exp", x, ink__exp(x), exponentials[i].exp, 2);
        check_near("exp_m1", x, ink__exp_m1(x), exponentials[i].exp_m1, 5);
    }
    random_state = 3;
    for (int i = 0; i < 20000; i++) {
        double x = next_random() * 1400 - 700;
        check_near("exp", x, ink__exp(x), exp(x), 3);
        x = next_random() * 2 - 1;
        check_near("exp_m1", x, ink__exp_m1(x), expm1(x), 6);
        x *= 1e-9;
        check_near("exp_m1", x, ink__exp_m1(x), expm1(x), 6);
    }
}

TEST(exp_ends_in_0_below_and_in_a_huge_number_above)
{
    CHECK(ink__exp(-700) > 0);
    CHECK(ink__exp(-700.001) == 0);
    CHECK(ink__exp(-1e308) == 0);
    CHECK(ink__exp(-(double)INFINITY) == 0);
    CHECK(ink__exp(700) > 1e304);
    CHECK(ink__exp(701) == ink__exp(700));
    CHECK(ink__exp(1e308) == ink__exp(700));
    CHECK(ink__exp_m1(-1000) == -1);
    CHECK(ink__exp(0) == 1);
    CHECK(ink__exp_m1(0) == 0);
}

TEST(ln_undoes_exp)
{
    for (double x = -690; x < 700; x += 0.73)
        /* exp is off by 2 steps at most, which ln turns into 2^-51, and rounding adds |x| 2^-53. */
        CHECK(fabs(ink__ln(ink__exp(x)) - x) <= 0x1p-51 + fabs(x) * 0x1p-52);
}

/* ---- Roots and powers --------------------------------------------------------------------- */

TEST(sqrt_is_within_a_step)
{
    static const double exact[] = {1, 4, 9, 0.25, 1e4, 65536, 0x1p-1022, 0x1p1022, 2.25, 0x1p-600};

    for (size_t i = 0; i < sizeof exact / sizeof exact[0]; i++)
        CHECK(ink__sqrt(exact[i]) == sqrt(exact[i]));
    random_state = 4;
    for (int i = 0; i < 50000; i++) {
        double x = ldexp(1 + next_random(), (int)(next_random() * 2040) - 1020);
        check_near("sqrt", x, ink__sqrt(x), sqrt(x), 1); /* sqrt of C is rounded correctly */
    }
    CHECK(ink__sqrt(0x1p-1074) == 0x1p-537 && ink__sqrt(0x1p-1060) == 0x1p-530); /* denormal */
    check_near("sqrt", 0x1.fffffffffffffp1023, ink__sqrt(0x1.fffffffffffffp1023),
               0x1.fffffffffffffp511, 1);
}

TEST(sqrt_of_nothing_and_less_is_0)
{
    CHECK(ink__sqrt(0.0) == 0);
    CHECK(ink__sqrt(-0.0) == 0);
    CHECK(ink__sqrt(-1) == 0);
}

TEST(powers_are_those_of_repeated_multiplication)
{
    CHECK(ink__power(7, 0) == 1);
    CHECK(ink__power(0, 0) == 1);
    CHECK(ink__power(0, 5) == 0);
    CHECK(ink__power(7, 1) == 7);
    CHECK(ink__power(3, 33) == 5559060566555523.0); /* below 2^53, so every product is exact */
    CHECK(ink__power(-2, 9) == -512);
    CHECK(ink__power(0.5, 1074) == 0x1p-1074);
    CHECK(ink__power(2, 1023) == 0x1p1023);
    CHECK(ink__power(1, UINT32_MAX) == 1);
    CHECK(ink__power(0.5, UINT32_MAX) == 0);
    random_state = 5;
    for (uint32_t n = 1; n <= 64; n++) {
        double x = 0.5 + next_random();
        /* n - 1 factors, each of which adds a rounding error of half a step. */
        check_near("power", x, ink__power(x, n), pow(x, n), n + 1);
    }
}

/* ---- The normal distribution -------------------------------------------------------------- */

TEST(normal_z_gives_the_known_quantiles)
{
    /* sqrt(2) erfinv(confidence), by mpmath, as above; 1.96 and 2.58 everybody knows. */
    static const struct {
        double confidence, z;
    } quantiles[] = {
        {0.001, 0.0012533144654325545383},
        {0.01, 0.012533469508069263422},
        {0.1, 0.12566134685507404122},
        {0.25, 0.31863936396437516302},
        {0.5, 0.6744897501960817432},
        {0.68, 0.99445788320975326812},
        {0.6826894921370859, 0.99999999999999990574},
        {0.8, 1.2815515655446005935},
        {0.9, 1.6448536269514728225},
        {0.95, 1.9599639845400538556},
        {0.98, 2.3263478740408407676},
        {0.99, 2.5758293035489004539},
        {0.995, 2.8070337683438038311},
        {0.9973, 2.9999769927033890996},
        {0.999, 3.2905267314918945433},
        {0.9999, 3.8905918864131206894},
        {0.999999, 4.8916384756929317718},
        {0.999999999, 6.1094102093834491114},
        {0.999999999999, 7.1305098928792724473},
        {0x1.fffffffffffffp-1, 8.2923610758135955382},
    };

    for (size_t i = 0; i < sizeof quantiles / sizeof quantiles[0]; i++) {
        double z = ink__normal_z(quantiles[i].confidence);
        if (!(fabs(z - quantiles[i].z) <= 1e-12 * quantiles[i].z))
            fail_msg("z of %.17g is %.17g, expected %.17g", quantiles[i].confidence, z,
                     quantiles[i].z);
    }
}

TEST(normal_z_grows_with_confidence)
{
    double before = 0;

    for (double confidence = 0.001; confidence < 1; confidence += 0.001) {
        double z = ink__normal_z(confidence);
        CHECK(z > before);
        before = z;
    }
    /* Across 3, where the series hands over to the continued fraction. */
    before = 0;
    for (double confidence = 0.99729; confidence < 0.99731; confidence += 1e-8) {
        double z = ink__normal_z(confidence);
        CHECK(z > before);
        before = z;
    }
}

TEST(whole_numbers_are_rounded_to_the_doubles_around_them)
{
    static const struct {
        uint64_t whole;
        double   down, up;
    } rows[] = {
        {0, 0, 0},
        {5, 5, 5},
        {(uint64_t)1 << 53, 0x1p53, 0x1p53},
        {((uint64_t)1 << 53) + 1, 0x1p53, 0x1.0000000000001p53},
        {((uint64_t)1 << 53) + 3, 0x1.0000000000001p53, 0x1.0000000000002p53},
        {(uint64_t)1 << 63, 0x1p63, 0x1p63},
        {UINT64_MAX - 2047, 0x1.fffffffffffffp63, 0x1.fffffffffffffp63},
        {UINT64_MAX - 2046, 0x1.fffffffffffffp63, 0x1p64},
        {UINT64_MAX, 0x1.fffffffffffffp63, 0x1p64},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        CHECK(ink__real_down(rows[i].whole) == rows[i].down);
        CHECK(ink__real_up(rows[i].whole) == rows[i].up);
    }
}

RUN_TESTS()
