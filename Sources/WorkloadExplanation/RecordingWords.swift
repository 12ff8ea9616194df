import CacheModel
import Workloads

/// A recording in sentences: its observations and its unknown parts.
struct RecordingWords {
  private let workload: Workload
  private let summary: WorkloadSummary
  private let profile: SessionProfile
  /// The numbers of rows of all reads, in ascending order, by kind of query.
  private let rows: (QueryKind) -> [Int]

  init(_ workload: Workload, rows: @escaping (QueryKind) -> [Int]) {
    self.workload = workload
    self.rows = rows
    summary = WorkloadSummary(of: workload)
    profile = SessionProfile(of: workload)
  }

  var sections: [ExplanationSection] {
    [
      ExplanationSection(workload.name, time),
      ExplanationSection("data", types),
      ExplanationSection("queries", queries),
      ExplanationSection("changes", changes),
      ExplanationSection("users", users),
      ExplanationSection("network", network),
      ExplanationSection("not known", unknown),
    ].filter { !$0.lines.isEmpty }
  }

  private var time: [String] {
    let warmUp =
      workload.warmUp == .zero
      ? "all of it is counted"
      : "the first \(Words.about(seconds: workload.warmUp.inSeconds)) is not counted"
    return [
      "A recording of \(Words.about(seconds: workload.duration.inSeconds)) by "
        + "\(Words.count(summary.clients, "client")); \(warmUp)."
    ]
  }

  // MARK: Data

  private var types: [String] {
    TypeProfile.all(of: workload).filter { $0.atStart + $0.created + $0.changed + $0.deleted > 0 }
      .map { type in
        let sizes = type.bytes.map { bytes in
          bytes.p50 == bytes.largest
            ? ", \(Words.aboutSize(bytes.p50))" + (type.atStart == 1 ? "" : " each")
            : ", half of them up to \(Words.aboutSize(bytes.p50)), the largest "
              + Words.aboutSize(bytes.largest)
        }
        let changes = [
          (type.created, "created"), (type.changed, "changed"), (type.deleted, "deleted"),
        ].filter { $0.0 > 0 }.map { "\(Words.grouped($0.0)) \($0.1)" }
        return "\(type.name): \(Words.grouped(type.atStart)) at the beginning\(sizes ?? "")"
          + (changes.isEmpty ? "." : "; \(Words.list(changes)) later.")
      }
  }

  private var queries: [String] {
    profile.queries.map { query in
      guard query.reads > 0 else { return "\(query.name): never read." }
      let seen = Words.aboutShare(Double(query.seenBefore) / Double(query.reads))
      let counts = rows(query.kind)
      let rows =
        counts.isEmpty
        ? "its rows are not known"
        : counts.first == counts.last
          ? "\(Words.count(counts[0], "row")) each"
          : "\(Words.count(counts[counts.count / 2], "row")) in the median, "
            + "\(Words.grouped(counts[counts.count - 1])) at most"
      return "\(query.name): \(Words.count(query.reads, "read")) of "
        + "\(Words.count(query.distinct, "distinct query")), \(seen) repeated by the same client; \(rows)."
    }
  }

  private var changes: [String] {
    guard summary.commits > 0 else { return ["None was seen."] }
    let kinds = SessionProfile.kinds.indices.compactMap { kind -> String? in
      let count = profile.devices.reduce(0) { $0 + $1.byKind[kind] }
      return count > 0 ? "\(Words.grouped(count)) \(SessionProfile.kinds[kind])" : nil
    }
    let writers = profile.devices.count
    let perEdit =
      summary.edits > 0
      ? "; \(Words.about(Double(summary.reads) / Double(summary.edits))) reads per edit" : ""
    return [
      "\(Words.count(summary.commits, "change")) by \(Words.count(writers, "writer")) "
        + "(\(Words.list(kinds)))\(perEdit)."
    ]
  }

  // MARK: Users and the network

  private var users: [String] {
    let others = [
      summary.opens > 0 ? "\(Words.count(summary.opens, "entity")) opened" : nil,
      summary.redraws > 0 ? "\(Words.count(summary.redraws, "read")) repeated by the app" : nil,
    ].compactMap(\.self)
    let clients = Double(max(1, summary.clients))
    var lines = [
      "\(Words.count(summary.queryReads, "list")) read"
        + (others.isEmpty ? "" : ", \(Words.list(others))") + "; "
        + "\(Words.aboutShare(Double(summary.seenBefore) / Double(max(1, summary.queryReads)))) of the lists "
        + "had been read before by the same client. \(Words.grouped(summary.countedReads)) reads are "
        + "counted, \(Words.about(Double(summary.countedReads) / clients)) per client."
    ]
    if profile.think.isMeasured {
      lines.append(
        "Two actions are \(Words.about(seconds: profile.think.value / 1e9)) apart on average.")
    }
    if summary.writes > 0 {
      let refused = workload.writes.count { $0.isRefused }
      lines.append(
        "\(Words.count(summary.writes, "write"))"
          + (refused > 0 ? ", \(Words.grouped(refused)) of them refused" : "") + ".")
    }
    let restarts = workload.clients.reduce(0) { $0 + $1.relaunches.count }
    if restarts > 0 { lines.append("The app was restarted \(Words.count(restarts, "time")).") }
    return lines
  }

  private var network: [String] {
    let network = workload.network
    func time(_ nanoseconds: Int64) -> String { Words.about(seconds: Double(nanoseconds) / 1e9) }
    var lines = [
      "A round trip takes \(time(network.minimumRoundTrip))"
        + (network.meanExtra > 0 ? ", plus \(time(network.meanExtra)) on average" : "")
        + "; "
        + (network.bytesPerSecond.map { "each direction carries \(Words.aboutSize($0))/s." }
          ?? "bandwidth is unlimited.")
    ]
    var (events, bytes) = (0, 0)
    for (number, client) in workload.clients.enumerated() {
      for case .event(let index) in client.deliveries.map(\.content) {
        let mutation = workload.mutations[Int(index)]
        // An answer is not pushed.
        guard mutation.author != UInt32(truncatingIfNeeded: number) else { continue }
        events += 1
        bytes += mutation.bytes
      }
    }
    lines.append(
      workload.pushesEvents
        ? "\(Words.count(events, "event")) \(events == 1 ? "was" : "were") pushed, of "
          + "\(Words.aboutSize(bytes)) in all."
        : "Nothing is pushed: a cache learns of changes by asking.")
    let failures = workload.clients.reduce(0) { $0 + $1.errors.count }
    let breaks = workload.clients.reduce(0) { $0 + $1.partitions.count }
    if failures + breaks > 0 {
      lines.append(
        "The link was down \(Words.count(breaks, "time")), and the server failed "
          + "\(Words.count(failures, "time")).")
    }
    return lines
  }

  // MARK: Unknown parts

  private var unknown: [String] {
    guard workload.truth == .observed else { return [] }
    var lines = [
      "What the server held between two answers: whether a read was fresh is known only as far as answers "
        + "and events tell."
    ]
    var reads = 0
    var (withRows, withOutcome) = (0, 0)
    for (client, script) in workload.clients.enumerated() {
      for (number, action) in script.actions.enumerated() where action.kind.isReadOfUser {
        reads += 1
        let read = ObservedRead(client: client, action: number)
        if workload.observedResults[read] != nil { withRows += 1 }
        if workload.recordedOutcomes[read] != nil { withOutcome += 1 }
      }
    }
    if withRows < reads {
      lines.append("The rows of \(Words.count(reads - withRows, "read")).")
    }
    if withOutcome < reads {
      lines.append(
        "How the app's own cache served \(Words.count(reads - withOutcome, "read")), so it is in no "
          + "table.")
    }
    let late = workload.mutations.count { $0.since != nil }
    if late > 0 {
      lines.append(
        "When \(Words.count(late, "change")) happened: after the last answer with the old state, and before "
          + "the first with the new one.")
    }
    if !workload.pushesEvents { lines.append("What others changed and nobody read.") }
    if !workload.gaps.isEmpty {
      lines.append(
        "What happened in \(Words.count(workload.gaps.count, "gap")) that the app could not record."
      )
    }
    return lines
  }
}
