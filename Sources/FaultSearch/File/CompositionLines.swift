import CacheModel
import NormalizedCache

/// The written form of a composition: five lines; `-` stands for none, times are in milliseconds.
///
/// What is not named is as it was before there was a choice: an admission that admits everything, a
/// release buffer that reads do not concern, an age that counts from the answer, no polling, no limit on
/// memory, soft limits, no rules for batches.
enum CompositionLines {
  static func lines(_ composition: PolicyComposition) -> [CaseLine] {
    let capacity = composition.capacity
    let freshness = composition.freshness
    var release = CaseLine(
      "release", ("buffer", composition.releaseBuffer == nil ? "no" : "yes"),
      ("queries", text(composition.releaseBuffer?.queries)),
      ("age", text(composition.releaseBuffer?.age)))
    if let reads = composition.releaseBuffer?.reads, reads != .ignored {
      release.append("reads", reads.rawValue)
    }
    var fresh = CaseLine(
      "freshness", ("lifetime", text(freshness.timeToLive)),
      ("folder", text(freshness.perMethod[NoteQuery.folderMethod])),
      ("drops-expired", freshness.dropsExpired ? "yes" : "no"),
      ("revalidate", text(freshness.staleWhileRevalidate)),
      ("error", text(freshness.staleIfError)))
    if freshness.start != .answer { fresh.append("from", freshness.start.rawValue) }
    var events = CaseLine(
      "events", ("admission", composition.eventAdmission.rawValue),
      ("membership", composition.membership.rawValue),
      ("gap", composition.gapResponse.rawValue), ("reorder", text(composition.reorderWindow)),
      ("coalescing", text(composition.coalescingWindow)))
    if let interval = composition.pollInterval { events.append("poll", text(interval)) }
    for origin in EventOrigin.allCases {
      guard let rule = composition.batchRules[origin] else { continue }
      events.append(origin.rawValue, text(rule))
    }
    var eviction = CaseLine("eviction", ("order", composition.evictionOrder))
    if composition.admission != everything { eviction.append("admission", composition.admission) }
    eviction.append("retention", composition.retention.rawValue)
    var limits = CaseLine(
      "capacity", ("entities", text(capacity.entities)), ("bytes", text(capacity.bytes)),
      ("high", "\(capacity.highWatermark)"), ("low", "\(capacity.lowWatermark)"),
      ("queries", text(composition.maximumQueries)))
    if let memory = capacity.memory { limits.append("memory", "\(memory)") }
    if composition.limit != .soft { limits.append("limit", composition.limit.rawValue) }
    return [
      limits, eviction, release, fresh, events,
    ]
  }

  static func read(_ lines: inout ArraySlice<CaseLine>) throws(CaseError) -> PolicyComposition {
    var capacityLine = try CaseFile.next("capacity", &lines)
    let capacity = Capacity(
      entities: try capacityLine.optionalNumber("entities", in: 0...Int.max),
      bytes: try capacityLine.optionalNumber("bytes", in: 0...Int.max),
      memory: try capacityLine.has("memory")
        ? capacityLine.optionalNumber("memory", in: 0...Int.max) : nil,
      highWatermark: try capacityLine.field("high", as: "a number from 0 to 1") { Double($0) },
      lowWatermark: try capacityLine.field("low", as: "a number from 0 to 1") { Double($0) })
    let queries = try capacityLine.optionalNumber("queries", in: 0...Int.max)
    let limit = try capacityLine.optionalChoice("limit", LimitKind.self) ?? .soft
    try capacityLine.end()

    var eviction = try CaseFile.next("eviction", &lines)
    let order = try eviction.field("order", as: "the name of an eviction order") { $0 }
    let admission = eviction.take("admission") ?? everything
    let retention = try eviction.choice("retention", Retention.self)
    try eviction.end()
    let buffer = try releaseBuffer(&lines)
    let freshness = try freshness(&lines)

    var events = try CaseFile.next("events", &lines)
    var composition = PolicyComposition(
      evictionOrder: order, admission: admission, capacity: capacity, limit: limit,
      retention: retention,
      releaseBuffer: buffer,
      freshness: freshness, eventAdmission: try events.choice("admission", EventAdmission.self),
      membership: try events.choice("membership", Membership.self),
      gapResponse: try events.choice("gap", GapResponse.self),
      reorderWindow: try duration("reorder", &events) ?? .zero,
      coalescingWindow: try duration("coalescing", &events) ?? .zero,
      pollInterval: try events.has("poll") ? duration("poll", &events) : nil,
      maximumQueries: queries)
    for origin in EventOrigin.allCases where events.has(origin.rawValue) {
      composition.batchRules[origin] = try events.field(
        origin.rawValue, as: "an admission, a membership and methods, as in `probation/-/1,2`"
      ) { batchRule($0) }
    }
    try events.end()
    do throws(CompositionError) {
      try composition.validate()
      _ = try CacheStore(composition: composition, schema: NoteSchema())
    } catch {
      throw capacityLine.error("no cache can be made so: \(error)", "correct the composition")
    }
    return composition
  }

  private static func releaseBuffer(
    _ lines: inout ArraySlice<CaseLine>
  ) throws(CaseError) -> ReleaseBuffer? {
    var line = try CaseFile.next("release", &lines)
    let isThere = try line.field("buffer", as: "yes|no") { flag($0) }
    let queries = try line.optionalNumber("queries", in: 0...Int.max)
    let age = try duration("age", &line)
    let reads = try line.optionalChoice("reads", ReleaseBuffer.Reads.self) ?? .ignored
    try line.end()
    return isThere ? ReleaseBuffer(queries: queries, age: age, reads: reads) : nil
  }

  private static func freshness(
    _ lines: inout ArraySlice<CaseLine>
  ) throws(CaseError) -> Freshness {
    var line = try CaseFile.next("freshness", &lines)
    var freshness = Freshness(timeToLive: try duration("lifetime", &line))
    freshness.perMethod[NoteQuery.folderMethod] = try duration("folder", &line)
    freshness.dropsExpired = try line.field("drops-expired", as: "yes|no") { flag($0) }
    freshness.staleWhileRevalidate = try duration("revalidate", &line) ?? .zero
    freshness.staleIfError = try duration("error", &line) ?? .zero
    freshness.start = try line.optionalChoice("from", Freshness.Start.self) ?? .answer
    try line.end()
    return freshness
  }

  private static func text(_ rule: BatchRule) -> String {
    let methods = rule.staleMethods.map { "\($0.rawValue)" }.joined(separator: ",")
    return [
      rule.admission?.rawValue ?? "-", rule.membership?.rawValue ?? "-",
      methods.isEmpty ? "-" : methods,
    ].joined(separator: "/")
  }

  private static func batchRule(_ text: String) -> BatchRule? {
    let parts = text.split(separator: "/").map(String.init)
    guard parts.count == 3 else { return nil }
    var rule = BatchRule()
    if parts[0] != "-" {
      guard let admission = EventAdmission(rawValue: parts[0]) else { return nil }
      rule.admission = admission
    }
    if parts[1] != "-" {
      guard let membership = Membership(rawValue: parts[1]) else { return nil }
      rule.membership = membership
    }
    if parts[2] != "-" {
      let methods = parts[2].split(separator: ",", omittingEmptySubsequences: false)
        .map { UInt16($0) }
      guard methods.count <= NoteQuery.methods.count else { return nil }
      for number in methods {
        guard let number else { return nil }
        rule.staleMethods.append(QueryMethod(rawValue: number))
      }
    }
    return rule
  }

  /// The name of the admission that turns nothing away.
  private static let everything = "always"

  private static func flag(_ text: String) -> Bool? {
    text == "yes" ? true : text == "no" ? false : nil
  }

  private static func duration(
    _ name: String, _ line: inout CaseLine
  ) throws(CaseError) -> Duration? {
    try line.optionalNumber(name, in: 0...Int(Int64.max / 1_000_000)).map { .milliseconds($0) }
  }

  private static func text(_ number: Int?) -> String { number.map(String.init) ?? "-" }

  private static func text(_ duration: Duration?) -> String {
    duration.map { "\($0.wholeNanoseconds / 1_000_000)" } ?? "-"
  }
}
