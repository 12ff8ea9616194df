import CacheModel
import CommandLineInterface
import Reporting
import WorkloadExplanation
import Workloads

extension Inspection {
  /// What the stream of a scenario or of a recording is like, beside what was asked for.
  ///
  /// A field of a scenario is a parameter of the drawing; the figures are counted on what was drawn.
  init(_ input: SimulationInput, seed: UInt64?) {
    let scenario = input.file.scenario
    let users = input.isDrawn ? scenario.users : []
    let steps = users.flatMap(\.activities).flatMap(\.steps).map(\.action)
    let newest = steps.compactMap { if case .notified(let notice) = $0 { notice.age } else { nil } }
      .max()
    let workload = input.workload(seed: seed)
    let summary = WorkloadSummary(of: workload, age: newest)
    self.init(kind: "session", name: input.name)
    let writers = input.isDrawn ? scenario.writers : []
    let revisits = steps.compactMap {
      if case .stroll(let stroll) = $0 { stroll.revisit } else { nil }
    }
    func share(_ part: Int, of whole: Int) -> Figure.Value? {
      whole > 0 ? .share(Double(part) / Double(whole)) : nil
    }
    /// A figure that needs something to be a share of is left out where there is nothing.
    func add(_ name: String, _ value: Figure.Value?, _ unit: String = "", _ note: String = "") {
      guard let value else { return }
      figures.append(Figure(name: name, value: value, unit: unit, note: note))
    }
    func asked<Value>(_ field: String, _ values: [Value], _ text: (Value) -> String) -> String {
      input.isDrawn && !values.isEmpty
        ? "; asked for: `\(field)` \(values.map(text).joined(separator: ", "))" : ""
    }

    add(
      "duration", .real(workload.duration.inSeconds), "s", "of virtual time")
    add("clients", .count(summary.clients), "clients")
    add("reads", .count(summary.reads), "reads", "of users: queries and entities")
    add(
      "counted_reads", .count(summary.countedReads), "reads",
      "after the warm-up: what results are about")
    add(
      "seen_before_share", share(summary.seenBefore, of: summary.queryReads), "",
      "of query reads, that the same client had asked before"
        + asked("revisit", revisits) { HumanNumber.percent($0) + " of strolls" })
    add(
      "self_revisit_share", share(summary.selfRevisits, of: summary.queryReads), "",
      "of query reads, that reopen what was asked last")
    add("open_share", share(summary.opens, of: summary.reads), "", "of reads: single entities")
    add(
      "opens_without_view_share", share(summary.opensWithoutView, of: summary.reads), "",
      "of reads: entities opened from no list on screen")
    if let age = newest {
      add(
        "newest_share", share(summary.newReads, of: summary.reads), "",
        "of reads: entities younger than "
          + HumanNumber.duration(nanoseconds: Double(age.wholeNanoseconds)))
    }
    add("redraws", .count(summary.redraws), "reads", "that views repeat by themselves")
    add("commits", .count(summary.commits), "commits")
    add("edits", .count(summary.edits), "commits", "that change what existed before")
    add(
      "reads_per_edit",
      summary.edits > 0 ? .real(Double(summary.reads) / Double(summary.edits)) : nil)
    if summary.hasSubjects {
      add(
        "edits_of_viewed_share", share(summary.editsOfViewed, of: summary.edits), "",
        "of edits: of what a client had viewed, or what lies in it"
          + asked("near-views", writers.compactMap(\.nearViews)) { HumanNumber.percent($0) })
    }
    add("event_bytes", .count(summary.eventBytes), "B", "of all commits, each once")
    add("objects", .count(summary.objectsAtStart), "objects", "at the beginning")
    add("object_bytes", .count(summary.bytesAtStart), "B", "of these")
    addProfile(of: workload)
  }
}
