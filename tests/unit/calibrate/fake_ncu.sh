#!/bin/sh
# In the place of Nsight Compute, for tests: prints a recorded table of metrics between words of its own, or refuses.
if [ -n "$FAKE_NCU_REFUSES" ]; then
  echo "==ERROR== ERR_NVGPUCTRPERM - The user does not have permission to access NVIDIA GPU Performance Counters"
  exit 1
fi
echo '==PROF== Connected to process 1482 (/bin/smreplay)'
cat "$FAKE_NCU_TABLE"
echo '==PROF== Disconnected from process 1482'
