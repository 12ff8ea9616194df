import CacheModel
import Text

/// Builds a workload from the lines of a recording, checking each against those before it.
struct RecordingReader {
  var workload: Workload
  /// Where its parts stand in the file.
  var lines = RecordingLines()
  let end: Instant
  let version: Int
  /// The latest state of each object; `nil` if it has none (yet, or any more).
  var current: [UInt32?] = []
  var wasDeleted: [Bool] = []
  var keys: Set<EntityKey> = []
  /// The mutations that tell of users' writes, whose lines stand below.
  var heardWrites: [HeardWrite] = []
  /// The states of an app's log by object and version, without bytes, and in the order in which they were
  /// told: one may be told twice.
  var told: [ObservedResult.Row: UInt32] = [:]
  var tellings: [UInt32] = []

  init(header: RecordedLine) throws(RecordingError) {
    var line = header
    guard case .string(SessionRecording.formatName)? = line.optional("format") else {
      throw line.failure(
        "this is not a recorded session",
        "begin with {\"format\":\"\(SessionRecording.formatName)\",\"version\":1,…}")
    }
    version = try line.integer("version", in: 1...Int.max)
    guard SessionRecording.versions.contains(version) else {
      throw line.failure(
        "the format has version \(version), this program reads 1 and 2",
        "record it again, or use the program that wrote it")
    }
    guard let truth = Truth(rawValue: try line.text("truth")) else {
      throw line.failure(
        "`truth` is neither known nor observed", "write \"observed\" for an app's log")
    }
    guard let library = UniqueID(try line.text("library")) else {
      throw line.failure("`library` is not a UUID", "write it as 8-4-4-4-12 hexadecimal digits")
    }
    let name = try line.text("name")
    let seed = try line.integer("seed", in: 0...UInt64.max, default: 0)
    // Durations far below the range of instants, so that sums of them cannot overflow.
    let duration = try line.integer("duration", in: 1...Int64.max / 4)
    var network = try RecordedLine(try line.required("network"), line: line.number)
    let model = NetworkModel(
      minimumRoundTrip: try network.integer("minimumRoundTrip", in: 0...Int64.max / 8),
      meanExtra: try network.integer("meanExtra", in: 0...Int64.max / 1_024),
      bytesPerSecond: try network.optional("bytesPerSecond") == nil
        ? nil : network.integer("bytesPerSecond", in: 1...1_000_000_000_000),
      seed: try network.integer("seed", in: 0...UInt64.max, default: 0))
    try network.finish("a network")
    var retention = try RecordedLine(try line.required("retention"), line: line.number)
    let kept = ServerRetention(
      events: try retention.integer("events", in: 0...Int.max / 2),
      age: .nanoseconds(try retention.integer("age", in: 0...Int64.max / 4)))
    try retention.finish("a retention")
    let saysNotModified = try line.flag("notModified")
    let warmUp = try line.integer("warmUp", in: 0...duration, default: 0)
    let isSilent = try line.flag("withoutEvents")
    var data = DataModel.fileLibrary
    var policy: String?
    var restarts: [Instant] = []
    var ownEvents: EventTraffic?
    var tellsPlaces = false
    if version > 1 {
      data = try RecordedModel.read(try line.required("model"), line: line.number)
      if line.optional("policy") != nil { policy = try line.text("policy") }
      restarts = try Self.readInstants(&line, "restarts", in: 0...duration)
      ownEvents = try Self.readOwnEvents(&line)
      tellsPlaces = try line.flag("places")
    }
    try line.finish("a header")
    end = Instant(nanoseconds: duration)
    workload = Workload(
      name: name, seed: seed, duration: .nanoseconds(duration),
      library: LibraryID(rawValue: library),
      catalog: Catalog(objects: [], revisions: [], initialCount: 0, labels: []), queries: [],
      mutations: [], items: [], clients: [], network: model, retention: kept)
    workload.model = data
    workload.answeredPolicy = policy
    workload.restarts = restarts
    workload.ownEvents = ownEvents
    workload.truth = truth
    workload.places = tellsPlaces ? [] : nil
    workload.saysNotModified = saysNotModified
    workload.warmUp = .nanoseconds(warmUp)
    workload.pushesEvents = !isSilent
  }

  mutating func read(_ record: RecordedLine) throws(RecordingError) {
    var line = record
    let type = try line.text("line")
    switch type {
    case "object": try readObject(&line)
    case "state": try readInitialState(&line)
    case "query": try readQuery(&line)
    case "mutation": try readMutation(&line)
    case "client": try readClient(&line)
    case "action": try readAction(&line)
    case "delivery": try readDelivery(&line)
    case "answer" where version > 1: try readAnswer(&line)
    case "write" where version > 1: try readWrite(&line)
    case "gap" where version > 1: try readGap(&line)
    case "place" where version > 1: try readListedPlace(&line)
    default:
      throw line.unknown(
        "type of line", type,
        among: ["object", "state", "query", "mutation", "client", "action", "delivery"]
          + (version > 1 ? ["answer", "gap", "place", "write"] : []))
    }
    try line.finish("a line of type \(type)")
  }

  /// Fails if something is missing at the end of the file.
  mutating func finish(atLine number: Int) throws(RecordingError) {
    guard !workload.clients.isEmpty else {
      throw RecordingError(
        line: max(1, number), cause: "the recording has no client",
        remedy: "check that the file is whole")
    }
    try finishWrites()
  }

  func readTime(
    _ line: inout RecordedLine, after last: Instant?
  ) throws(RecordingError) -> Instant {
    let at = Instant(nanoseconds: try line.integer("at", in: 0...end.nanoseconds))
    guard at >= last ?? .zero else {
      throw line.failure(
        "`at` is earlier than on the line before it", "write them in order of time")
    }
    return at
  }
}
