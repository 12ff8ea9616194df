/// What was measured in real time, on the machine of the run.
extension ReportPage {
  var measured: Node {
    var parts: [Node] = [.tag("h2", [], "In real time, on this machine")]
    guard let latency = results.latency else {
      parts.append(
        .tag(
          "p", [.class("none")],
          "Not measured in this run: no latency.csv is in the folder. Run tidemark bench without "
            + "--exact-only."))
      return .tag("section", [.id(Anchor("measured"))], parts)
    }
    let pictures = MeasuredPictures(
      latency: latency, memory: results.memory ?? [], looks: looks)
    let all = pictures.all
    parts.append(
      .tag(
        "p", [],
        [
          .text(
            "Times and bytes of the real cache"
              + (pictures.scenario.map { ", the policies on the workload of \($0)" } ?? "")
              + ". They move with the machine and its load: compare within one picture only. "),
          Self.link("latency.csv"), .text(", "), Self.link("memory.csv"),
        ]))
    parts.append(.tag("div", [.class("pics")], all.filter { $0.drawing != nil }.map(\.node)))
    let missing = all.filter { $0.drawing == nil }
    if !missing.isEmpty { parts.append(Self.missing(missing)) }
    return .tag("section", [.id(Anchor("measured"))], parts)
  }
}
