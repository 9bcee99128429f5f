"""Score the starter linker on the packaged abstracts: given mentions, then mentions it finds itself."""

import linnet
from linnet.evaluate import evaluate
from linnet.samples import documents

linker = linnet.starter()
report = evaluate(
    linker,
    documents(),
    protocols=["strict", "lenient", "end-to-end"],
    terminologies=linker.terminologies,
    corpus="the packaged abstracts",
)
print(report.title)
for result in report.results:
    for score in result.scores[:3]:
        print(f"{result.protocol:12} {score.name:16} {score.value:.3f}")
