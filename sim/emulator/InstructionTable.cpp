// The table. A row names the opcode, its translator and every modifier that may stand in the text: one that changes the
// result is handled by the translator, one that does not (cache hints, memory order, spelling variants of the compiler)
// is listed here to say so. Anything else is refused.
#include "sim/emulator/InstructionTable.h"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <unordered_map>

#include "sim/emulator/ops/ControlOps.h"
#include "sim/emulator/ops/DataOps.h"
#include "sim/emulator/ops/FloatOps.h"
#include "sim/emulator/ops/IntegerOps.h"
#include "sim/emulator/ops/MatrixOps.h"
#include "sim/emulator/ops/MemoryOps.h"

namespace smreplay::emulator {
namespace {

using isa::Modifier;
using isa::Opcode;
using M = Modifier;
using List = std::vector<Modifier>;

struct Entry {
  Translator translator;
  List modifiers;
};

const List kRounding{M::kRN, M::kRM, M::kRP, M::kRZ};
const List kFloatModes{M::kFTZ, M::kSAT, M::kFMZ};
const List kFloatCompare{M::kLT,  M::kEQ,  M::kLE,  M::kGT,  M::kNE, M::kGE, M::kNUM, M::kNAN, M::kLTU, M::kEQU,
                         M::kLEU, M::kGTU, M::kNEU, M::kGEU, M::kT,  M::kF,  M::kAND, M::kOR,  M::kXOR, M::kFTZ};
const List kIntegerCompare{M::kLT,  M::kEQ,  M::kLE,  M::kGT,  M::kNE,  M::kGE, M::kT,   M::kF,
                           M::kU32, M::kS32, M::kU64, M::kS64, M::kAND, M::kOR, M::kXOR, M::kEX};
const List kIntegerTypes{M::kU8, M::kS8, M::kU16, M::kS16, M::kU32, M::kS32, M::kU64, M::kS64};
const List kFloatTypes{M::kF16, M::kBF16, M::kF32, M::kF64};
const List kIntegerRounding{M::kTRUNC, M::kFLOOR, M::kCEIL, M::kRND, M::kRN, M::kRM, M::kRP, M::kRZ};
const List kWidths{M::kU8, M::kS8, M::kU16, M::kS16, M::kM32, M::kM64, M::kM128};
// No effect on results: caching, order and scope (execution is sequentially consistent), prefetch sizes.
const List kMemoryHints{M::kE,    M::kCONSTANT,    M::kSTRONG,     M::kWEAK,   M::kGPU,     M::kSYS,
                        M::kSM,   M::kCTA,         M::kPRIVATE,    M::kEF,     M::kEL,      M::kEU,
                        M::kLU,   M::kNA,          M::kBYPASS,     M::kLTC64B, M::kLTC128B, M::kLTC256B,
                        M::kMMIO, M::kEVICT_FIRST, M::kEVICT_LAST, M::kZFILL};
const List kAtomics{M::kADD, M::kMIN,  M::kMAX,  M::kINC,   M::kDEC,    M::kAND, M::kOR,  M::kXOR, M::kEXCH,
                    M::kCAS, M::kCAST, M::kSPIN, M::kPOPC,  M::kU32,    M::kS32, M::kU64, M::kS64, M::kM32,
                    M::kM64, M::kF32,  M::kF64,  M::kF16x2, M::kBF16x2, M::kFTZ, M::kRN};
const List kHalfModes{M::kBF16_V2, M::kFTZ, M::kSAT, M::kRELU, M::kMMA, M::kF32};

List join(std::initializer_list<List> lists) {
  List all;
  for (const List& l : lists) all.insert(all.end(), l.begin(), l.end());
  return all;
}

using Table = std::unordered_map<Opcode, Entry>;

void add_integer(Table& t) {
  const List add3{M::kX, M::kM64};
  const List mad{M::kMOV, M::kIADD, M::kSHL, M::kU32, M::kX, M::kHI, M::kWIDE};
  const List lea{M::kHI, M::kX, M::kSX32};
  const List shf{M::kL, M::kR, M::kW, M::kU32, M::kS32, M::kU64, M::kS64, M::kHI};
  const List prmt{M::kF4E, M::kB4E, M::kRC8, M::kECL, M::kECR, M::kRC16};
  const List minmax{M::kU32, M::kS32, M::kS16x2, M::kU16x2, M::kU8x4, M::kS8x4};
  t[Opcode::kIADD] = {translate_add, add3};
  t[Opcode::kIADD3] = t[Opcode::kUIADD3] = {translate_add3, add3};
  t[Opcode::kIMAD] = t[Opcode::kUIMAD] = {translate_mad, mad};
  t[Opcode::kLEA] = t[Opcode::kULEA] = {translate_lea, lea};
  t[Opcode::kIDP] = {translate_dot, {M::kM4A, M::kS8, M::kU8}};
  t[Opcode::kLOP3] = t[Opcode::kULOP3] = {translate_lop3, {M::kLUT, M::kPAND}};
  t[Opcode::kSHF] = t[Opcode::kUSHF] = {translate_shf, shf};
  t[Opcode::kPRMT] = t[Opcode::kUPRMT] = {translate_prmt, prmt};
  t[Opcode::kSGXT] = t[Opcode::kUSGXT] = {translate_sgxt, {M::kU32, M::kW}};
  t[Opcode::kBMSK] = t[Opcode::kUBMSK] = {translate_bmsk, {M::kC, M::kW}};
  t[Opcode::kIABS] = t[Opcode::kUIABS] = {translate_iabs, {}};
  t[Opcode::kFLO] = t[Opcode::kUFLO] = {translate_flo, {M::kU32, M::kSH}};
  t[Opcode::kPOPC] = t[Opcode::kUPOPC] = {translate_popc, {}};
  t[Opcode::kBREV] = t[Opcode::kUBREV] = {translate_brev, {}};
  t[Opcode::kISETP] = t[Opcode::kUISETP] = {translate_isetp, kIntegerCompare};
  t[Opcode::kVIMNMX] = t[Opcode::kUVIMNMX] = t[Opcode::kIMNMX] = t[Opcode::kUIMNMX] = {translate_min_max, minmax};
  t[Opcode::kVIMNMX3] = t[Opcode::kUVIMNMX3] = {translate_min_max3, {M::kU32, M::kS32}};
  t[Opcode::kVIADDMNMX] = {translate_add_min_max, {M::kU32, M::kS32}};
  t[Opcode::kVIADD] = t[Opcode::kUVIADD] = {translate_viadd, {M::kM16x2, M::kU8x4}};
  t[Opcode::kVABSDIFF] = {translate_abs_difference, {M::kU32, M::kS32}};
  t[Opcode::kVABSDIFF4] = {translate_abs_difference, {M::kU8, M::kS8, M::kACC}};
}

void add_float(Table& t) {
  const List arithmetic = join({kRounding, kFloatModes});
  t[Opcode::kFADD] = t[Opcode::kUFADD] = {translate_fadd, arithmetic};
  t[Opcode::kFMUL] = t[Opcode::kUFMUL] = {translate_fmul, arithmetic};
  t[Opcode::kFFMA] = t[Opcode::kUFFMA] = {translate_ffma, arithmetic};
  t[Opcode::kFMNMX] = t[Opcode::kUFMNMX] = {translate_fmnmx, {M::kFTZ, M::kNAN}};
  t[Opcode::kFMNMX3] = {translate_fmnmx3, {M::kFTZ, M::kNAN}};
  t[Opcode::kFSET] = t[Opcode::kUFSET] = {translate_fset, join({kFloatCompare, {M::kBF}})};
  t[Opcode::kFSETP] = t[Opcode::kUFSETP] = {translate_fsetp, kFloatCompare};
  t[Opcode::kFCHK] = {translate_fchk, {}};
  t[Opcode::kMUFU] = {
      translate_mufu,
      {M::kEX2, M::kLG2, M::kRCP, M::kRSQ, M::kSQRT, M::kSIN, M::kCOS, M::kTANH, M::kRCP64H, M::kRSQ64H}};
  t[Opcode::kDADD] = {translate_dadd, kRounding};
  t[Opcode::kDMUL] = {translate_dmul, kRounding};
  t[Opcode::kDFMA] = {translate_dfma, kRounding};
  t[Opcode::kDSETP] = {translate_dsetp, kFloatCompare};
  t[Opcode::kHADD2] = {translate_hadd2, kHalfModes};
  t[Opcode::kHMUL2] = {translate_hmul2, kHalfModes};
  t[Opcode::kHFMA2] = {translate_hfma2, kHalfModes};
  t[Opcode::kHMNMX2] = {translate_hmnmx2, {M::kBF16_V2, M::kNAN}};
  t[Opcode::kHSET2] = {translate_hset2, join({kFloatCompare, {M::kBF, M::kBF16_V2}})};
  t[Opcode::kHSETP2] = {translate_hsetp2, join({kFloatCompare, {M::kBF16_V2}})};
  const List i2f = join({kIntegerTypes, kFloatTypes, kRounding});
  const List f2i = join({kIntegerTypes, kFloatTypes, kIntegerRounding, {M::kFTZ, M::kNTZ}});
  t[Opcode::kF2F] = t[Opcode::kUF2F] = {translate_f2f, join({kFloatTypes, kRounding, {M::kFTZ}})};
  t[Opcode::kF2I] = t[Opcode::kUF2I] = {translate_f2i, f2i};
  t[Opcode::kI2F] = t[Opcode::kUI2F] = t[Opcode::kI2FP] = t[Opcode::kUI2FP] = {translate_i2f, i2f};
  t[Opcode::kFRND] = t[Opcode::kUFRND] = {translate_frnd, join({kFloatTypes, kIntegerRounding, {M::kFTZ}})};
  t[Opcode::kF2FP] =
      t[Opcode::kUF2FP] = {translate_f2fp, join({kFloatTypes,
                                                 {M::kE4M3, M::kE5M2, M::kPACK_AB, M::kPACK_AB_MERGE_C, M::kUNPACK_B,
                                                  M::kSATFINITE, M::kRELU, M::kRN, M::kRZ}})};
}

void add_data(Table& t) {
  t[Opcode::kMOV] = t[Opcode::kUMOV] = {translate_mov, {M::kM64}};
  t[Opcode::kSEL] = t[Opcode::kUSEL] = {translate_sel, {M::kM64}};
  t[Opcode::kFSEL] = t[Opcode::kUFSEL] = {translate_sel, {}};
  t[Opcode::kPLOP3] = t[Opcode::kUPLOP3] = {translate_plop3, {M::kLUT}};
  t[Opcode::kPSETP] = t[Opcode::kUPSETP] = {translate_psetp, {M::kAND, M::kOR, M::kXOR}};
  t[Opcode::kP2R] = t[Opcode::kUP2UR] = {translate_p2r, {M::kB1, M::kB2, M::kB3}};
  t[Opcode::kR2P] = t[Opcode::kUR2UP] = {translate_r2p, {M::kB1, M::kB2, M::kB3}};
  t[Opcode::kR2UR] = {translate_r2ur, {M::kOR}};
  t[Opcode::kS2R] = t[Opcode::kS2UR] = {translate_s2r, {}};
  t[Opcode::kCS2R] = t[Opcode::kCS2UR] = {translate_s2r, {M::kM32}};
  const List ldc = join({kWidths, {M::kIL, M::kIS, M::kISL}});
  t[Opcode::kLDC] = t[Opcode::kLDCU] = t[Opcode::kULDC] = {translate_ldc, ldc};
  t[Opcode::kB2R] = {translate_b2r, {M::kRESULT}};
  t[Opcode::kSHFL] = {translate_shfl, {M::kIDX, M::kUP, M::kDOWN, M::kBFLY}};
  t[Opcode::kVOTE] = t[Opcode::kVOTEU] = {translate_vote, {M::kALL, M::kANY, M::kEQ}};
  t[Opcode::kMATCH] = {translate_match, {M::kANY, M::kALL, M::kU64}};
  t[Opcode::kREDUX] = {translate_redux, {M::kAND, M::kOR, M::kXOR, M::kSUM, M::kMIN, M::kMAX, M::kS32, M::kU32}};
  t[Opcode::kELECT] = {translate_elect, {}};
}

void add_memory(Table& t) {
  const List access = join({kMemoryHints, kWidths});
  const List atomic = join({kMemoryHints, kAtomics});
  t[Opcode::kLDG] = {translate_load_global, access};
  t[Opcode::kSTG] = {translate_store_global, access};
  t[Opcode::kLD] = {translate_load_generic, access};
  t[Opcode::kST] = {translate_store_generic, access};
  t[Opcode::kLDS] = {translate_load_shared, kWidths};
  t[Opcode::kSTS] = {translate_store_shared, kWidths};
  t[Opcode::kLDL] = {translate_load_local, access};
  t[Opcode::kSTL] = {translate_store_local, access};
  t[Opcode::kATOM] = t[Opcode::kATOMG] = t[Opcode::kRED] = t[Opcode::kREDG] = {translate_atomic_global, atomic};
  t[Opcode::kATOMS] = {translate_atomic_shared, atomic};
  t[Opcode::kLDGSTS] = {translate_ldgsts, access};
  t[Opcode::kLDGDEPBAR] = {translate_ldgdepbar, {}};
  t[Opcode::kDEPBAR] = {translate_depbar, {M::kLE}};
  t[Opcode::kLDSM] = {translate_ldsm, {M::kM16, M::kM88, M::kMT88, M::kM2, M::kM4}};
  t[Opcode::kSTSM] = {translate_stsm, {M::kM16, M::kM88, M::kMT88, M::kM2, M::kM4}};
  t[Opcode::kMOVM] = {translate_movm, {M::kM16, M::kMT88}};
  t[Opcode::kQSPC] = {translate_qspc, {M::kE, M::kS, M::kL}};
  // Fences and cache control: execution is sequentially consistent and has no caches.
  const List fence{M::kSC,    M::kALL,  M::kCTA,   M::kGPU, M::kSYS, M::kSM,
                   M::kIVALL, M::kVIEW, M::kASYNC, M::kS,   M::kT,   M::kG};
  for (const Opcode o : {Opcode::kMEMBAR, Opcode::kERRBAR, Opcode::kCGAERRBAR, Opcode::kCCTL, Opcode::kFENCE}) {
    t[o] = {translate_nothing, fence};
  }
}

void add_control(Table& t) {
  const List convergence{M::kRECONVERGENT, M::kRELIABLE};
  t[Opcode::kBRA] = {translate_bra, {M::kU, M::kDIV, M::kANY}};
  t[Opcode::kBRX] = t[Opcode::kBRXU] = {translate_brx, {}};
  t[Opcode::kCALL] = {translate_call, {M::kREL, M::kNOINC}};
  t[Opcode::kRET] = {translate_ret, {M::kREL, M::kNODEC}};
  t[Opcode::kEXIT] = {translate_exit, {}};
  t[Opcode::kBSSY] = {translate_bssy, convergence};
  t[Opcode::kBSYNC] = {translate_bsync, convergence};
  t[Opcode::kBREAK] = {translate_break, convergence};
  t[Opcode::kBMOV] = {translate_bmov, {M::kM32, M::kCLEAR}};
  t[Opcode::kWARPSYNC] = {translate_warpsync, {M::kALL, M::kCOLLECTIVE}};
  t[Opcode::kENDCOLLECTIVE] = {translate_endcollective, {}};
  t[Opcode::kYIELD] = {translate_yield, {}};
  t[Opcode::kBAR] = {translate_bar, {M::kSYNC, M::kARV, M::kRED, M::kPOPC, M::kAND, M::kOR, M::kDEFER_BLOCKING}};
  t[Opcode::kNOP] = t[Opcode::kNANOSLEEP] = t[Opcode::kPREEXIT] = t[Opcode::kPMTRIG] = {translate_nothing, {}};
}

void add_matrix(Table& t) {
  t[Opcode::kHMMA] = {translate_hmma, {M::kM16816, M::kM1688, M::kM1684, M::kF32, M::kF16, M::kBF16, M::kTF32}};
  t[Opcode::kQMMA] = {translate_qmma, {M::kM16832, M::kF32, M::kF16, M::kE4M3, M::kE5M2, M::kE3M2, M::kE2M3, M::kE2M1}};
  t[Opcode::kIMMA] = {translate_imma, {M::kM16832, M::kM16816, M::kS8, M::kU8, M::kSAT}};
  t[Opcode::kDMMA] = {translate_dmma, {M::kM8x8x4, M::kM884}};
}

const Table& table() {
  static const Table kTable = [] {
    Table all;
    add_integer(all);
    add_float(all);
    add_data(all);
    add_memory(all);
    add_control(all);
    add_matrix(all);
    return all;
  }();
  return kTable;
}

}  // namespace

bool translate(MicroOpBuilder& b) {
  const auto it = table().find(b.instruction.opcode);
  if (it == table().end()) return false;
  const Entry& entry = it->second;
  for (const Modifier m : b.instruction.modifiers.list()) {
    if (std::ranges::find(entry.modifiers, m) == entry.modifiers.end()) return false;
  }
  return entry.translator(b);
}

}  // namespace smreplay::emulator
