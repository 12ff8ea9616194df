import CacheModel
import HARImport
import RecordingCodec
import Testing
import Workloads

/// A HAR file for a test, written as Chrome writes them unless something else is asked for.
struct HARText {
  var entries: [String] = []
  var pages: String?

  /// The beginning of every session, 2026-11-27 12:00 UTC.
  static let begin = 1_795_780_800.0

  /// Seconds from the beginning as ISO 8601.
  static func date(_ seconds: Double) -> String {
    let milliseconds = Int((seconds * 1_000).rounded())
    func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    let (second, rest) = (milliseconds / 1_000, milliseconds % 1_000)
    return "2026-11-27T\(two(12 + second / 3_600)):\(two(second / 60 % 60)):\(two(second % 60))."
      + String("00\(rest)".suffix(3)) + "Z"
  }

  /// A quoted text, with special characters escaped.
  static func quoted(_ text: String) -> String {
    "\""
      + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
      .replacing("\n", with: "\\n") + "\""
  }

  /// Adds a request and its answer; `body` is `nil` if it was not recorded.
  mutating func add(
    _ path: String, at start: Double, for time: Double = 0.05, status: Int = 200,
    _ body: String? = "{}", mime: String = "application/json", page: String? = nil,
    more: String = "", response: String = "", content: String = ""
  ) {
    add(
      "GET", path, at: start, for: time, status: status, body, mime: mime, page: page, more: more,
      response: response, content: content)
  }

  /// The same with a method and a body.
  mutating func add(
    _ method: String, _ path: String, at start: Double, for time: Double = 0.05,
    status: Int = 200, _ body: String? = "{}", mime: String = "application/json",
    sends: String? = nil, as type: String = "application/json", page: String? = nil,
    more: String = "", response: String = "", content: String = ""
  ) {
    let url =
      ["http", "ws", "data:"].contains(where: path.hasPrefix) ? path : "https://api.test\(path)"
    let data = sends.map {
      ",\"postData\":{\"mimeType\":\"\(type)\",\"text\":\(Self.quoted($0))}"
    }
    let text = body.map { ",\"text\":\(Self.quoted($0))" } ?? ""
    entries.append(
      """
      {\(page.map { "\"pageref\":\"\($0)\"," } ?? "")"startedDateTime":"\(Self.date(start))",\
      "time":\(time * 1_000),"request":{"method":"\(method)","url":\(Self.quoted(url)),\
      "httpVersion":"h2","headers":[],"queryString":[],"cookies":[]\(data ?? "")},\
      "response":{"status":\(status),"statusText":"","headers":[],"cookies":[],\(response)\
      "content":{"size":\(body?.utf8.count ?? 100),"mimeType":"\(mime)"\(content)\(text)},\
      "redirectURL":""},"cache":{},"timings":{}\(more)}
      """)
  }

  /// Adds an operation of GraphQL with its answer.
  mutating func ask(
    _ query: String, _ name: String? = nil, _ variables: String = "{}", at start: Double,
    for time: Double = 0.05, _ data: String
  ) {
    let operation = name.map { "\"operationName\":\"\($0)\"," } ?? ""
    add(
      "POST", "/graphql", at: start, for: time, "{\"data\":\(data)}",
      sends: "{\(operation)\"query\":\(Self.quoted(query)),\"variables\":\(variables)}")
  }

  var text: String {
    "{\"log\":{\"version\":\"1.2\",\"creator\":{\"name\":\"WebInspector\",\"version\":\"537\"},"
      + (pages.map { "\"pages\":\($0)," } ?? "")
      + "\"entries\":[\(entries.joined(separator: ",\n"))]}}"
  }

  func imported(_ change: (inout HARImportOptions) -> Void = { _ in }) throws -> Imported {
    try Imported([text], change)
  }
}

/// The result of an import, which every test also reads as the simulation does.
struct Imported {
  let session: SessionFromHAR
  let lines: [RecordingLine]
  let text: String
  let workload: Workload

  init(_ files: [String], _ change: (inout HARImportOptions) -> Void = { _ in }) throws {
    var options = HARImportOptions()
    change(&options)
    var reader = HARReader(options)
    for file in files {
      // In small pieces: where a file is cut must not matter.
      let bytes = Array(file.utf8)
      for start in stride(from: 0, to: bytes.count, by: 977) {
        try reader.consume(Array(bytes[start..<min(start + 977, bytes.count)]))
      }
      try reader.finishFile()
    }
    session = try SessionFromHAR(reader)
    var lines: [RecordingLine] = []
    session.forEachLine { lines.append($0) }
    self.lines = lines
    var bytes: [UInt8] = []
    session.bytes { bytes += $0 }
    text = String(decoding: bytes, as: UTF8.self)
    workload = try SessionRecording.read(bytes)
  }

  var summary: String { session.summary.lines.joined(separator: "\n") }

  // MARK: Lines

  private var objects: [ObjectLine] {
    lines.compactMap { if case .object(let line) = $0 { line } else { nil } }
  }

  var queries: [QueryLine] {
    lines.compactMap { if case .query(let line) = $0 { line } else { nil } }
  }

  var actions: [ActionLine] {
    lines.compactMap { if case .action(let line) = $0 { line } else { nil } }
  }

  var reads: [ActionLine] { actions.filter { $0.verb == .observe || $0.verb == .read } }

  var mutations: [MutationLine] {
    lines.compactMap { if case .mutation(let line) = $0 { line } else { nil } }
  }

  var clients: [ClientLine] {
    lines.compactMap { if case .client(let line) = $0 { line } else { nil } }
  }

  var answers: [AnswerLine] {
    lines.compactMap { if case .answer(let line) = $0 { line } else { nil } }
  }

  var deliveries: [DeliveryLine] {
    lines.compactMap { if case .delivery(let line) = $0 { line } else { nil } }
  }

  /// All states, by their numbers.
  var states: [RecordedState] {
    lines.flatMap { line -> [RecordedState] in
      switch line {
      case .state(let state): [state]
      case .mutation(let mutation):
        mutation.items.compactMap { if case .state(let state) = $0 { state } else { nil } }
      default: []
      }
    }
  }

  /// The name of the form of each read.
  var asked: [String] { reads.map { queries[Int($0.query ?? 0)].name } }

  /// The types of the rows of each read; `nil` if unknown.
  var rows: [[String]?] {
    let (objects, states) = (objects, states)
    return reads.map { $0.result?.map { objects[Int(states[Int($0)].object)].type } }
  }

  /// The entities of the rows of each read, by number, each with its version.
  var versions: [[String]] {
    let states = states
    return reads.map { read in
      (read.result ?? []).map { "\(states[Int($0)].object)v\(states[Int($0)].version.clock)" }
    }
  }

  /// The types of all objects except those that represent queries.
  var types: [String] {
    objects.map(\.type).filter { $0 != session.header.model.types.last?.name }
  }

  /// When changes of entities that were known before began, in seconds from the beginning.
  var changes: [(since: Double, at: Double)] {
    mutations.filter { mutation in
      mutation.items.contains {
        if case .state(let state) = $0 { state.version.clock > 1 } else { false }
      }
    }.map { (Double($0.since?.nanoseconds ?? 0) / 1e9, Double($0.at.nanoseconds) / 1e9) }
  }
}
