// The memory instructions that burst.cu, queue.cu and throughput.cu issue, one struct each: a name for the raw file,
// bytes per lane, and issue(place, i, r): instruction i of a burst, with its own destination registers and a constant
// offset from the place's addresses, so that nothing but the memory instruction is in the burst.
#pragma once

#include <cstdint>

namespace microbench {

// Where a lane's accesses go. Instruction i uses the address plus i * 32 lanes * width.
struct Place {
  uint32_t shared;
  uint64_t global;
  uint32_t local;
};

#define MEMORY_OP(NAME, TEXT_NAME, BYTES, BODY)                                                   \
  struct NAME {                                                                                   \
    static constexpr const char* name = TEXT_NAME;                                                \
    static constexpr int bytes = BYTES;                                                           \
    static constexpr int pitch = TEXT_NAME[3] == 'M' ? 16 : BYTES; /* LDSM takes row addresses */ \
    static constexpr bool stores = TEXT_NAME[0] == 'S' && TEXT_NAME[1] == 'T';                    \
    __device__ __forceinline__ static void issue(const Place& at, int i, uint32_t (&r)[4]) {      \
      const int offset = i * 32 * bytes;                                                          \
      BODY                                                                                        \
    }                                                                                             \
  };

#define LOAD_1(TEXT, CONSTRAINT, ADDRESS) asm volatile(TEXT " %0, [%1];" : "=r"(r[0]) : CONSTRAINT(ADDRESS) : "memory");
#define LOAD_2(TEXT, CONSTRAINT, ADDRESS) \
  asm volatile(TEXT " {%0, %1}, [%2];" : "=r"(r[0]), "=r"(r[1]) : CONSTRAINT(ADDRESS) : "memory");
#define LOAD_4(TEXT, CONSTRAINT, ADDRESS)                       \
  asm volatile(TEXT " {%0, %1, %2, %3}, [%4];"                  \
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) \
               : CONSTRAINT(ADDRESS)                            \
               : "memory");
#define STORE_1(TEXT, CONSTRAINT, ADDRESS) asm volatile(TEXT " [%0], %1;" ::CONSTRAINT(ADDRESS), "r"(r[0]) : "memory");
#define STORE_2(TEXT, CONSTRAINT, ADDRESS) \
  asm volatile(TEXT " [%0], {%1, %2};" ::CONSTRAINT(ADDRESS), "r"(r[0]), "r"(r[1]) : "memory");
#define STORE_4(TEXT, CONSTRAINT, ADDRESS)                                                                       \
  asm volatile(TEXT " [%0], {%1, %2, %3, %4};" ::CONSTRAINT(ADDRESS), "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]) \
               : "memory");

MEMORY_OP(Lds32, "LDS.32", 4, LOAD_1("ld.shared.u32", "r", at.shared + offset))
MEMORY_OP(Lds64, "LDS.64", 8, LOAD_2("ld.shared.v2.u32", "r", at.shared + offset))
MEMORY_OP(Lds128, "LDS.128", 16, LOAD_4("ld.shared.v4.u32", "r", at.shared + offset))
MEMORY_OP(Ldsm1, "LDSM.1", 4,
          asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];"
                       : "=r"(r[0])
                       : "r"(at.shared + offset)
                       : "memory");)
MEMORY_OP(Ldsm2, "LDSM.2", 8, LOAD_2("ldmatrix.sync.aligned.m8n8.x2.shared.b16", "r", at.shared + offset))
MEMORY_OP(Ldsm4, "LDSM.4", 16, LOAD_4("ldmatrix.sync.aligned.m8n8.x4.shared.b16", "r", at.shared + offset))
MEMORY_OP(Sts32, "STS.32", 4, STORE_1("st.shared.u32", "r", at.shared + offset))
MEMORY_OP(Sts64, "STS.64", 8, STORE_2("st.shared.v2.u32", "r", at.shared + offset))
MEMORY_OP(Sts128, "STS.128", 16, STORE_4("st.shared.v4.u32", "r", at.shared + offset))
MEMORY_OP(Ldg32, "LDG.32", 4, LOAD_1("ld.global.u32", "l", at.global + offset))
MEMORY_OP(Ldg64, "LDG.64", 8, LOAD_2("ld.global.v2.u32", "l", at.global + offset))
MEMORY_OP(Ldg128, "LDG.128", 16, LOAD_4("ld.global.v4.u32", "l", at.global + offset))
MEMORY_OP(LdgL2, "LDG.128.L2", 16, LOAD_4("ld.global.cg.v4.u32", "l", at.global + offset))
MEMORY_OP(Stg32, "STG.32", 4, STORE_1("st.global.u32", "l", at.global + offset))
MEMORY_OP(Stg128, "STG.128", 16, STORE_4("st.global.v4.u32", "l", at.global + offset))
// Loads from memory that nobody writes leave the loop: one word of the window is written between them.
MEMORY_OP(Ldl32, "LDL.32", 4, LOAD_1("ld.local.u32", "r", at.local + offset / 32))
MEMORY_OP(Ldl128, "LDL.128", 16, LOAD_4("ld.local.v4.u32", "r", at.local + offset / 32))
MEMORY_OP(Stl32, "STL.32", 4, STORE_1("st.local.u32", "r", at.local + offset / 32))
MEMORY_OP(Stl128, "STL.128", 16, STORE_4("st.local.v4.u32", "r", at.local + offset / 32))
// The immediate offsets of LDGSTS reach 2 KiB.
MEMORY_OP(Ldgsts32, "LDGSTS.32", 4,
          asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(at.shared + offset % 2048),
                       "l"(at.global + offset % 2048)
                       : "memory");)
MEMORY_OP(Ldgsts64, "LDGSTS.64", 8,
          asm volatile("cp.async.ca.shared.global [%0], [%1], 8;" ::"r"(at.shared + offset % 2048),
                       "l"(at.global + offset % 2048)
                       : "memory");)
MEMORY_OP(Ldgsts128, "LDGSTS.128", 16,
          asm volatile("cp.async.ca.shared.global [%0], [%1], 16;" ::"r"(at.shared + offset % 2048),
                       "l"(at.global + offset % 2048)
                       : "memory");)
MEMORY_OP(LdgstsL2, "LDGSTS.128.L2", 16,
          asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(at.shared + offset % 2048),
                       "l"(at.global + offset % 2048)
                       : "memory");)
MEMORY_OP(Shfl, "SHFL", 4,
          asm volatile("shfl.sync.idx.b32 %0, %0, %0, 31, 0xffffffff;"
                       : "+r"(r[0])::"memory");
          (void)offset;)
MEMORY_OP(MufuEx2, "MUFU.EX2", 4,
          asm volatile("{.reg .f32 f; mov.b32 f, %0; ex2.approx.ftz.f32 f, f; mov.b32 %0, f;}"
                       : "+r"(r[0])::"memory");
          (void)offset;)

MEMORY_OP(Ffma, "FFMA", 4,
          asm volatile("{.reg .f32 f; mov.b32 f, %0; fma.rn.f32 f, f, f, f; mov.b32 %0, f;}"
                       : "+r"(r[0])::"memory");
          (void)offset;)

__device__ __forceinline__ void wait_for_copies() { asm volatile("cp.async.wait_all;" ::: "memory"); }

}  // namespace microbench
