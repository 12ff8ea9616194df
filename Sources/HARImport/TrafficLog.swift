import Text

/// The data that is kept from the files: numbers and hashes, without bodies.
///
/// A row takes four bytes, and a repeated state of an entity takes no additional memory.
struct TrafficLog {
  private(set) var requests: [LoggedRequest] = []
  private(set) var requestCount = 0
  var excluded: [HAREntry.Exclusion: Int] = [:]
  /// The addresses of excluded entries, for redirects to them.
  var excludedAddresses: Set<UInt64> = []
  /// The number of entries in the present file so far.
  var entryCount = 0

  var hosts = Names()
  var methods = Names()
  /// Paths by segments.
  var paths: [[String]] = []
  private var pathNumbers: [UInt64: Int32] = [:]
  var parameterNames = Names()
  var deletions: [(type: String, id: String)] = []
  /// The names and hashed values of all requests' parameters.
  var parameters: [(name: Int32, value: UInt64, isClock: Bool)] = []
  var operations: [LoggedOperation] = []
  private var operationNumbers: [UInt64: Int32] = [:]

  var types = Names()
  var fieldNames = Names()
  var entities: [LoggedEntity] = []
  private var entityNumbers: [UInt64: Int32] = [:]
  /// The different sightings of entities.
  var sights: [Sight] = []
  private var sightNumbers: [UInt64: Int32] = [:]
  var fields: [LoggedField] = []
  /// The sightings in all answers, in the order of the rows.
  var rows: [Int32] = []
  /// The options of the import that something in the files matched, as a user writes them.
  var usedOptions: Set<String> = []
  /// The hashes of texts in answers that are short enough for a segment of a path.
  var words: Set<UInt64> = []

  static let mostRows = 2_000_000
  static let mostFields = 3_000_000
  static let mostRequests = 1_000_000
  static let mostWords = 500_000

  struct LoggedOperation {
    var name: String?
    /// Whether it writes, by its text; `nil` if that is not yet known.
    var isWriteByText: Bool?

    /// Whether it writes; `nil` if neither its text nor its name says it.
    ///
    /// Generators of clients demand or add the ending.
    var isWrite: Bool? {
      isWriteByText
        ?? (name?.hasSuffix("Mutation") == true
          ? true : name?.hasSuffix("Query") == true ? false : nil)
    }
  }

  struct LoggedEntity {
    var type: Int32
    var id: UInt64
    var isTypeNamed: Bool
    var isOpaque: Bool
  }

  struct Sight {
    /// The entity; `nil` for content without one.
    var entity: Int32?
    var fields: Range<Int>
    var version: Int64?
  }

  struct LoggedField {
    var label: UInt64
    var value: UInt64
    var name: Int32
    var bytes: Int32
  }

  /// Texts with consecutive numbers, in order of first appearance.
  struct Names {
    private(set) var all: [String] = []
    private var numbers: [UInt64: Int32] = [:]

    mutating func number(of text: String) -> Int32 {
      let print = Print.of(text)
      if let number = numbers[print] { return number }
      let number = Int32(truncatingIfNeeded: all.count)
      numbers[print] = number
      all.append(text)
      return number
    }

    subscript(number: Int32) -> String { all[Int(number)] }
  }

  mutating func number(ofPath path: [String]) -> Int32 {
    let print = path.reduce(13) { Print.of($0, Print.of($1)) }
    if let number = pathNumbers[print] { return number }
    let number = Int32(truncatingIfNeeded: paths.count)
    pathNumbers[print] = number
    paths.append(path)
    return number
  }

  /// Returns the number of an operation by its name, or by the digest of its text.
  mutating func number(of operation: RequestIdentity.Operation, isWrite: Bool?) -> Int32 {
    let number =
      operationNumbers[operation.key]
      ?? operation.document.flatMap { operationNumbers[$0] }
      ?? Int32(truncatingIfNeeded: operations.count)
    if Int(number) == operations.count {
      operations.append(LoggedOperation(name: operation.name, isWriteByText: isWrite))
    }
    operationNumbers[operation.key] = number
    if let document = operation.document, operationNumbers[document] == nil {
      operationNumbers[document] = number
    }
    let known = operations[Int(number)]
    operations[Int(number)] = LoggedOperation(
      name: known.name ?? operation.name, isWriteByText: isWrite ?? known.isWriteByText)
    return number
  }

  // MARK: Rows

  mutating func note(
    _ answer: EntityExtraction
  ) throws(HARImportError) -> (rows: Range<Int>, own: Int32?) {
    let first = rows.count
    usedOptions.formUnion(answer.usedOptions)
    for entity in answer.entities {
      let number = number(of: entity)
      rows.append(
        try note(entity.fields, of: number, print: UInt64(number), version: entity.version))
    }
    guard rows.count <= Self.mostRows else { throw tooMuch("\(Self.mostRows) rows") }
    let own =
      answer.own.isEmpty ? nil : try note(answer.own, of: nil, print: .max, version: nil)
    return (first..<rows.count, own)
  }

  private mutating func number(of entity: ShownEntity) -> Int32 {
    let type = types.number(of: entity.type)
    let key = Print.of(UInt64(type), entity.id)
    if let number = entityNumbers[key] { return number }
    let number = Int32(truncatingIfNeeded: entities.count)
    entityNumbers[key] = number
    entities.append(
      LoggedEntity(
        type: type, id: entity.id, isTypeNamed: entity.isTypeNamed, isOpaque: entity.isOpaque))
    return number
  }

  /// Returns the entity that a path identifies, if it is in an answer.
  func entity(type: String, id: String) -> Int32? {
    let id = Print.of(id)
    if let type = types.all.firstIndex(where: { $0.utf8.elementsEqual(type.utf8) }),
      let number = entityNumbers[Print.of(UInt64(type), id)]
    {
      return number
    }
    // With the server's name for its type, or if only one type has that identity, unless any may have it.
    let others = entities.indices.filter { entities[$0].id == id }
    let alike = others.filter { TypeName.kind(types[entities[$0].type]) == TypeName.kind(type) }
    let found = alike.isEmpty ? others.filter { entities[$0].isOpaque } : alike
    return found.count == 1 ? Int32(truncatingIfNeeded: found[0]) : nil
  }

  private mutating func note(
    _ shown: [ShownField], of entity: Int32?, print: UInt64, version: Int64?
  ) throws(HARImportError) -> Int32 {
    // Independent of the order, including names, which distinguish fields with the same label.
    let key = shown.reduce(Print.of(14, print)) {
      $0 &+ Print.of(Print.of($1.label, $1.value), UInt64(bitPattern: Int64($1.bytes)))
    }
    if let number = sightNumbers[key] { return number }
    let number = Int32(truncatingIfNeeded: sights.count)
    sightNumbers[key] = number
    let first = fields.count
    for field in shown {
      fields.append(
        LoggedField(
          label: field.label, value: field.value, name: fieldNames.number(of: field.name),
          bytes: field.bytes))
    }
    guard fields.count <= Self.mostFields else {
      throw tooMuch("\(Self.mostFields) fields of different content")
    }
    sights.append(Sight(entity: entity, fields: first..<fields.count, version: version))
    return number
  }

  /// Notes texts that could also be segments of a path: they are values, not names.
  mutating func noteWords(in value: JSONValue, isType: Bool = false) {
    switch value {
    case .string(let text):
      if !isType, words.count < Self.mostWords, TypeName.isCodeSegment(text) {
        words.insert(Print.of(text))
      }
    case .array(let elements): for element in elements { noteWords(in: element) }
    case .object(let members):
      for member in members {
        noteWords(
          in: member.value, isType: ["__typename", "type", "kind", "rel"].contains(member.name))
      }
    case .null, .bool, .number, .real: break
    }
  }

  mutating func append(_ request: LoggedRequest) throws(HARImportError) {
    guard requestCount < Self.mostRequests else { throw tooMuch("\(Self.mostRequests) requests") }
    requests.append(request)
    requestCount += 1
  }

  /// Returns the only copy of the requests, and releases data that only reading requires.
  mutating func takeRequests() -> [LoggedRequest] {
    sightNumbers = [:]
    pathNumbers = [:]
    var taken: [LoggedRequest] = []
    swap(&taken, &requests)
    return taken
  }

  func tooMuch(_ limit: String) -> HARImportError {
    HARImportError(
      entry: entryCount, "there are more than \(limit)",
      "import fewer files at a time, or one host with --only")
  }
}

/// A request of an app, or a message that a server pushed.
///
/// A file may have a million, so numbers are as small as their limits permit.
struct LoggedRequest {
  enum Kind: UInt8 { case query, write, event }

  enum Outcome: UInt8 {
    /// The server returned rows.
    case answered
    /// A cache of the browser or a service worker answered, not the server.
    case served
    /// The server answered "not modified".
    case unchanged
    /// The answer's rows are not in the file.
    case unknown
    case failed
    /// The server requested the text of a persisted operation.
    case askedForText
    case redirected
  }

  var kind = Kind.query
  var outcome = Outcome.answered
  var file: Int32 = 0
  /// The index in its file's `log.entries`, from 1.
  var entry: Int32 = 0
  /// The index of the file's page; −1: none.
  var page: Int32 = -1
  var start: Int64 = 0
  var end: Int64 = 0
  var host: Int32 = 0
  var method: Int32 = 0
  var path: Int32 = 0
  private var firstParameter: Int32 = 0
  private var parameterCount: Int32 = 0
  /// A hash of the body if that is part of the query.
  var body: UInt64 = 0
  /// The operation; −1: no GraphQL.
  var operation: Int32 = -1
  var variables: UInt64 = 0
  var address: UInt64 = 0
  /// The target of a redirect; 0: none.
  var redirect: UInt64 = 0
  private var firstRow: Int32 = 0
  private var rowCount: Int32 = 0
  /// The sighting of content without an entity.
  var own: Int32?
  private var size: Int32 = 0
  /// The index of its deletion, if it succeeds and any answer contains the entity; −1: none.
  var deletion: Int32 = -1
  /// Whether the answer's body was not recorded, or is too large.
  var isBodyMissing = false
  var isHead = false
  var showsJSON = false

  var bytes: Int {
    get { Int(size) }
    set { size = Int32(clamping: newValue) }
  }

  var parameters: Range<Int> {
    get { Int(firstParameter)..<Int(firstParameter) + Int(parameterCount) }
    set {
      (firstParameter, parameterCount) = (Int32(newValue.lowerBound), Int32(newValue.count))
    }
  }

  var rows: Range<Int> {
    get { Int(firstRow)..<Int(firstRow) + Int(rowCount) }
    set { (firstRow, rowCount) = (Int32(newValue.lowerBound), Int32(newValue.count)) }
  }
}
