import CacheModel
import CacheSimulation
import CommandLineInterface
import Reporting
import WorkloadExplanation
import Workloads

extension Inspection {
  /// Creates the figures of a scenario's or a recording's stream, with its parameters.
  ///
  /// The fields of a scenario are parameters of the generation; the figures are counted in the generated
  /// stream.
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
    /// Adds a figure; a share of nothing is omitted.
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

/// The estimated profile of a session: what is needed to generate a similar one.
extension Inspection {
  mutating func addProfile(of workload: Workload) {
    let profile = SessionProfile(of: workload)
    func add(_ name: String, _ value: Figure.Value?, _ unit: String = "", _ note: String = "") {
      guard let value else { return }
      figures.append(Figure(name: name, value: value, unit: unit, note: note))
    }
    func add(_ name: String, _ estimate: Estimate, per unit: Double, _ unitName: String) {
      guard estimate.isMeasured else { return }
      add(
        name, .real(estimate.value / unit), unitName,
        "from \(Words.count(estimate.count, estimate.noun))")
    }
    add("think_mean", profile.think, per: 1e9, "s")
    if let visits = profile.visits {
      add("visits_per_day", visits.rate, per: 1 / 86_400, "/d")
      add("visit_length_mean", visits.length, per: 1e9, "s")
    }
    if let pauses = profile.commitPauses {
      add("commit_pause_mean", .real(pauses.mean / 1e9), "s", "from one commit to the next")
      add("commit_pause_p50", .real(Double(pauses.p50) / 1e9), "s")
      add("commit_pause_p99", .real(Double(pauses.p99) / 1e9), "s")
      add(
        "commit_pause_variation", .real(pauses.variation), "",
        "standard deviation over mean: 1 where commits are independent, more in trains")
    }
    add("edit_zipf_exponent", profile.editExponent, per: 1, "")
    add("entity_bytes_mean", profile.meanEntityBytes.map { .real($0) }, "B", "at the beginning")
    add("new_commit_share", profile.newCommitShare.map { .share($0) }, "", "of commits: creations")
    add(
      "new_read_share", profile.newReadShare.map { .share($0) }, "",
      "of reads: entities that came meanwhile")
    tables.append(Self.types(TypeProfile.all(of: workload)))
    tables.append(Self.queries(profile, AskedRows(of: workload)))
    tables.append(Self.devices(profile, workload.duration))
  }

  private static func types(_ types: [TypeProfile]) -> Table {
    Table(
      name: "type",
      columns: [
        ("at_start", "at start"), ("bytes_p50", "B p50"), ("bytes_p99", "p99"),
        ("bytes_max", "max"), ("created", "created"), ("changed", "changed"),
        ("deleted", "deleted"),
      ],
      rows: types.map { type in
        (
          type.name,
          [
            .count(type.atStart), type.bytes.map { .count($0.p50) },
            type.bytes.map { .count($0.p99) }, type.bytes.map { .count($0.largest) },
            .count(type.created), .count(type.changed), .count(type.deleted),
          ]
        )
      })
  }

  private static func queries(_ profile: SessionProfile, _ rows: AskedRows) -> Table {
    Table(
      name: "query",
      columns: [
        ("reads", "reads"), ("distinct_queries", "distinct"), ("seen_before_share", "seen"),
        ("zipf_exponent", "zipf"), ("rows_p50", "p50"), ("rows_p90", "p90"),
        ("rows_p99", "p99"), ("rows_max", "max rows"),
      ],
      rows: profile.queries.map { query in
        let counts = rows[query.kind]
        func quantile(_ share: Double) -> Figure.Value? {
          counts.isEmpty
            ? nil : .count(counts[min(counts.count - 1, Int(share * Double(counts.count)))])
        }
        let exponent = query.exponent.flatMap { $0.isMeasured ? $0.value : nil }
        return (
          query.name,
          [
            .count(query.reads), .count(query.distinct),
            .share(Double(query.seenBefore) / Double(max(1, query.reads))),
            exponent.map { .real($0) }, quantile(0.5), quantile(0.9), quantile(0.99), quantile(1),
          ]
        )
      })
  }

  private static func devices(_ profile: SessionProfile, _ duration: Duration) -> Table {
    let hours = max(1e-9, Double(duration.wholeNanoseconds) / 3.6e12)
    return Table(
      name: "device",
      columns: [
        ("commits", "commits"), ("changed_per_hour", "changed /h"), ("batch_per_hour", "batch /h"),
        ("deleted_per_hour", "deleted /h"), ("notices_per_hour", "notice /h"),
        ("progress_per_hour", "progress /h"),
      ],
      rows: profile.devices.map { device in
        let hourly = device.byKind.map { $0 > 0 ? Figure.Value.real(Double($0) / hours) : nil }
        return ("\(device.number)", [Figure.Value.count(device.commits)] + hourly)
      })
  }
}
