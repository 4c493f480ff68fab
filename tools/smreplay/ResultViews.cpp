#include "tools/smreplay/ResultViews.h"

#include "sim/views/JsonView.h"
#include "sim/views/TextSummary.h"

namespace smreplay::tool {

std::string view_of(const attribution::Result& result, const std::string& format) {
  return format == "json" ? views::to_json(result) : views::text_summary(result);
}

}  // namespace smreplay::tool
