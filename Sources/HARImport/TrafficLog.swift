import Text

/// All that is kept of the files while they are read: numbers and prints, and no body.
///
/// A row costs four bytes, and a state of an entity that is seen again as it was costs nothing more.
struct TrafficLog {
  private(set) var requests: [LoggedRequest] = []
  private(set) var requestCount = 0
  /// What was left out, by reason.
  var excluded: [HAREntry.Exclusion: Int] = [:]
  /// The addresses of it, by which redirects that end there are known.
  var excludedAddresses: Set<UInt64> = []
  /// Of the file that is read, so far.
  var entryCount = 0

  var hosts = Names()
  var methods = Names()
  /// Paths, segment by segment.
  var paths: [[String]] = []
  private var pathNumbers: [UInt64: Int32] = [:]
  var parameterNames = Names()
  /// What requests delete if they succeed.
  var deletions: [(type: String, id: String)] = []
  /// Name and print of the value, of all requests.
  var parameters: [(name: Int32, value: UInt64, isClock: Bool)] = []
  var operations: [LoggedOperation] = []
  private var operationNumbers: [UInt64: Int32] = [:]

  var types = Names()
  var fieldNames = Names()
  var entities: [LoggedEntity] = []
  private var entityNumbers: [UInt64: Int32] = [:]
  /// Each way in which an answer has shown an entity, once.
  var sights: [Sight] = []
  private var sightNumbers: [UInt64: Int32] = [:]
  /// The fields of all sights.
  var fields: [LoggedField] = []
  /// The sights of all answers, in the order of the rows.
  var rows: [Int32] = []
  /// Texts of answers that are short enough to be a segment of a path.
  var words: Set<UInt64> = []

  static let mostRows = 2_000_000
  static let mostFields = 3_000_000
  static let mostRequests = 1_000_000
  static let mostWords = 500_000

  struct LoggedOperation {
    var name: String?
    /// `nil` as long as nobody has said it.
    var isWrite: Bool?
  }

  struct LoggedEntity {
    var type: Int32
    var id: UInt64
    var isTypeNamed: Bool
    var isOpaque: Bool
  }

  struct Sight {
    /// `nil`: of what belongs to no entity.
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

  /// Texts with a number each, in the order in which they were met.
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

  /// An operation by its name, or by the digest that stands for its text.
  mutating func number(of operation: RequestIdentity.Operation, isWrite: Bool?) -> Int32 {
    let number =
      operationNumbers[operation.key]
      ?? operation.document.flatMap { operationNumbers[$0] }
      ?? Int32(truncatingIfNeeded: operations.count)
    if Int(number) == operations.count {
      operations.append(LoggedOperation(name: operation.name, isWrite: isWrite))
    }
    operationNumbers[operation.key] = number
    if let document = operation.document, operationNumbers[document] == nil {
      operationNumbers[document] = number
    }
    let known = operations[Int(number)]
    operations[Int(number)] = LoggedOperation(
      name: known.name ?? operation.name, isWrite: isWrite ?? known.isWrite)
    return number
  }

  // MARK: Rows

  /// Notes what an answer shows.
  mutating func note(
    _ answer: EntityExtraction
  ) throws(HARImportError) -> (rows: Range<Int>, own: Int32?) {
    let first = rows.count
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

  /// The entity that a path names, if an answer has shown it.
  func entity(type: String, id: String) -> Int32? {
    let id = Print.of(id)
    if let type = types.all.firstIndex(where: { $0.utf8.elementsEqual(type.utf8) }),
      let number = entityNumbers[Print.of(UInt64(type), id)]
    {
      return number
    }
    // Under the name that the server gives its type, if only one type has it.
    let others = entities.indices.filter { entities[$0].id == id }
    let name = TypeName.singular(type).lowercased()
    let alike = others.filter { types[entities[$0].type].lowercased() == name }
    let found = alike.isEmpty ? others : alike
    return found.count == 1 ? Int32(truncatingIfNeeded: found[0]) : nil
  }

  private mutating func note(
    _ shown: [ShownField], of entity: Int32?, print: UInt64, version: Int64?
  ) throws(HARImportError) -> Int32 {
    // Whatever their order; their names too, by which a field is told from another of its label.
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

  /// Remembers texts that could also be segments of a path: they are values, and no names.
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

  /// Hands the requests over, so that there is one copy of them, and lets go what only reading needs.
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

/// A request of an app, or a message that a server sent unasked.
///
/// A file may have a million, so numbers are as short as their limits allow.
struct LoggedRequest {
  enum Kind: UInt8 { case query, write, event }

  /// What became of it.
  enum Outcome: UInt8 {
    /// The server showed its rows.
    case answered
    /// A cache of the browser or a service worker did: that says nothing of the server.
    case served
    /// The server said that nothing has changed.
    case unchanged
    /// There was an answer, and its rows are not in the file.
    case unknown
    case failed
    /// The server wants the text of a persisted operation.
    case askedForText
    case redirected
  }

  var kind = Kind.query
  var outcome = Outcome.answered
  var file: Int32 = 0
  /// Of its file's `log.entries`, from 1.
  var entry: Int32 = 0
  /// A number of the file's pages; −1: none.
  var page: Int32 = -1
  var start: Int64 = 0
  var end: Int64 = 0
  var host: Int32 = 0
  var method: Int32 = 0
  var path: Int32 = 0
  private var firstParameter: Int32 = 0
  private var parameterCount: Int32 = 0
  /// Of a body that is part of what is asked.
  var body: UInt64 = 0
  /// −1: no GraphQL.
  var operation: Int32 = -1
  var variables: UInt64 = 0
  var address: UInt64 = 0
  /// Where the answer sends the client; 0: nowhere.
  var redirect: UInt64 = 0
  private var firstRow: Int32 = 0
  private var rowCount: Int32 = 0
  /// The sight of what belongs to no entity.
  var own: Int32?
  private var size: Int32 = 0
  /// What it deletes, if it succeeds and any answer shows it, of the log's deletions; −1: nothing.
  var deletion: Int32 = -1
  /// Whether the answer was to have a body that was not recorded, or is too large.
  var isBodyMissing = false
  var isHead = false
  var showsJSON = false

  var bytes: Int {
    get { Int(size) }
    set { size = Int32(clamping: newValue) }
  }

  /// Of the log's parameters.
  var parameters: Range<Int> {
    get { Int(firstParameter)..<Int(firstParameter) + Int(parameterCount) }
    set {
      (firstParameter, parameterCount) = (Int32(newValue.lowerBound), Int32(newValue.count))
    }
  }

  /// Of the log's rows.
  var rows: Range<Int> {
    get { Int(firstRow)..<Int(firstRow) + Int(rowCount) }
    set { (firstRow, rowCount) = (Int32(newValue.lowerBound), Int32(newValue.count)) }
  }
}
