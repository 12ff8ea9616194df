import CacheModel
import CacheSimulation
import Text

/// A line of a cache's output.
enum ReplyLine {
  case hello(name: String, version: String, features: Set<CacheFeature>)
  case reply(CacheReply)
  case done(turn: Int, wake: Instant?)
  /// A remark about the cache, or for a reader: not judged.
  case remark

  /// - Throws: ``CacheFault``, which quotes the line, if it is invalid.
  init(_ bytes: ArraySlice<UInt8>) throws(CacheFault) {
    let value: JSONValue
    do throws(JSONParser.Failure) {
      value = try JSONParser.parse(bytes)
    } catch {
      throw CacheFault(.notJSON, "\(error.cause) at byte \(error.offset): \(Self.quote(bytes))")
    }
    guard case .object(let members) = value else {
      throw CacheFault(.notJSON, Self.quote(bytes))
    }
    var reader = MemberReader(members, line: bytes)
    switch try reader.text("t") {
    case "hello":
      let number = try reader.integer("protocol")
      guard number == 1 else { throw CacheFault(.otherVersion, "version \(number)") }
      self = .hello(
        name: try reader.text("name"), version: try reader.text("version"),
        features: try reader.features("features"))
    case "serve":
      self = .reply(.serve(turn: try reader.integer("for"), try reader.rows("rows")))
    case "fail": self = .reply(.fail(turn: try reader.integer("for")))
    case "fetch":
      let target: CacheReply.Target
      if let query = try reader.integerIfThere("q") {
        target = .query(query)
      } else {
        let object = try reader.integer("object")
        guard let number = UInt32(exactly: object) else { throw reader.wrong("object") }
        target = .object(number)
      }
      self = .reply(
        .fetch(id: try reader.integer("id"), target, since: try reader.positionIfThere("unless")))
    case "reconcile":
      guard let position = try reader.positionIfThere("after") else { throw reader.wrong("after") }
      self = .reply(.reconcile(id: try reader.integer("id"), after: position))
    case "notify":
      self = .reply(.notify(query: try reader.integer("q"), try reader.rows("rows")))
    case "send": self = .reply(.send(token: try reader.integer("token")))
    case "store":
      self = .reply(.store(key: try reader.text("key"), try reader.textIfThere("value")))
    case "stats", "note":
      self = .remark
      return
    case "done":
      let wake = try reader.integerIfThere("wake")
      self = .done(
        turn: try reader.integer("n"), wake: wake.map { Instant(nanoseconds: Int64($0)) })
    case let other: throw CacheFault(.unknownMessage, "\"\(other)\" in \(Self.quote(bytes))")
    }
    try reader.finish()
  }

  /// Returns the beginning of a line, escaped for an error message.
  static func quote(_ bytes: ArraySlice<UInt8>) -> String {
    "'\(String(decoding: bytes.prefix(400), as: UTF8.self).excerpt)'"
  }
}

/// Reads the members of a message one by one, to find unknown ones.
private struct MemberReader {
  private var members: [JSONMember]
  private let line: ArraySlice<UInt8>

  init(_ members: [JSONMember], line: ArraySlice<UInt8>) {
    self.members = members
    self.line = line
  }

  private mutating func take(_ name: String) -> JSONValue? {
    members.firstIndex { $0.name == name }.map { members.remove(at: $0).value }
  }

  func wrong(_ name: String) -> CacheFault {
    CacheFault(.badMember, "\"\(name)\" in \(ReplyLine.quote(line))")
  }

  mutating func text(_ name: String) throws(CacheFault) -> String {
    guard case .string(let text)? = take(name) else { throw wrong(name) }
    return text
  }

  mutating func textIfThere(_ name: String) throws(CacheFault) -> String? {
    switch take(name) {
    case nil, .null?: return nil
    case .string(let text)?: return text
    default: throw wrong(name)
    }
  }

  /// Returns the known features that it names; others may be of a later version.
  mutating func features(_ name: String) throws(CacheFault) -> Set<CacheFeature> {
    var features: Set<CacheFeature> = []
    switch take(name) {
    case nil: break
    case .array(let values)?:
      for value in values {
        guard case .string(let text) = value else { throw wrong(name) }
        if let feature = CacheFeature(rawValue: text) { features.insert(feature) }
      }
    default: throw wrong(name)
    }
    return features
  }

  mutating func integerIfThere(_ name: String) throws(CacheFault) -> Int? {
    switch take(name) {
    case nil, .null?: return nil
    case let value?: return try integer(value, name)
    }
  }

  mutating func integer(_ name: String) throws(CacheFault) -> Int {
    guard let number = try integerIfThere(name) else { throw wrong(name) }
    return number
  }

  private func integer(_ value: JSONValue, _ name: String) throws(CacheFault) -> Int {
    guard case .number(let isNegative, let magnitude) = value,
      let number = Int(exactly: magnitude)
    else { throw wrong(name) }
    return isNegative ? -number : number
  }

  mutating func positionIfThere(_ name: String) throws(CacheFault) -> StreamPosition? {
    switch take(name) {
    case nil, .null?: return nil
    case .array(let parts)? where parts.count == 2:
      guard let epoch = UInt32(exactly: try integer(parts[0], name)),
        let sequence = UInt64(exactly: try integer(parts[1], name))
      else { throw wrong(name) }
      return StreamPosition(epoch: epoch, sequence: sequence)
    default: throw wrong(name)
    }
  }

  mutating func rows(_ name: String) throws(CacheFault) -> [ServedRow] {
    guard case .array(let values)? = take(name) else { throw wrong(name) }
    var rows: [ServedRow] = []
    rows.reserveCapacity(values.count)
    for value in values {
      guard case .array(let parts) = value, parts.count == 2 else { throw wrong(name) }
      rows.append(
        ServedRow(object: try integer(parts[0], name), version: try integer(parts[1], name)))
    }
    return rows
  }

  func finish() throws(CacheFault) {
    if let member = members.first { throw wrong(member.name) }
  }
}
