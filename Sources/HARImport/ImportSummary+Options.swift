extension ImportSummary {
  /// Returns what else is unclear: operations that may write, and options that nothing in the files matched.
  static func doubts(_ log: TrafficLog, _ timeline: Timeline, _ options: HARImportOptions)
    -> [String]
  {
    func names(_ all: [String]) -> String { options.isAnonymous ? number(all.count) : list(all) }
    var texts: [String] = []
    let asked = Set(timeline.requests.lazy.map(\.operation))
    let unknown = log.operations.indices.filter {
      asked.contains(Int32(truncatingIfNeeded: $0)) && log.operations[$0].isWrite == nil
    }
    if !unknown.isEmpty {
      texts.append(
        "operations without their text, taken for reads: "
          + names(
            unknown.map {
              log.operations[$0].name.flatMap { TypeName.isCode($0) ? $0 : nil }
                ?? "one without a name"
            }))
    }
    let used = log.usedOptions.union(log.parameterNames.all.map { "--keep-parameter \($0)" })
    let unused = options.named.filter { !used.contains($0) }
    if !unused.isEmpty { texts.append("options that match nothing: \(names(unused))") }
    return texts
  }
}
