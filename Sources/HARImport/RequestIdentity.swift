import Text

/// The query or change of a request.
///
/// A GraphQL operation is identified by its name and its variables. Any other request is identified by its
/// method, host, path and parameters, excluding parameters that never repeat, which requires all requests.
struct RequestIdentity {
  /// The GraphQL operation; `nil` for other requests.
  var operation: Operation?
  /// Whether it changes data; `nil` if that depends on the operation's missing text.
  var isWrite: Bool?
  /// A hash of the body if that is part of the query.
  var body: UInt64 = 0

  struct Operation {
    /// The name; `nil` if it has none.
    var name: String?
    /// A hash of the name, or of its replacement.
    var key: UInt64
    /// A hash of the digest, or of another identifier of its text that the server knows.
    var document: UInt64?
    var variables: UInt64
    /// The text, if it is known.
    var text: GraphQLText?
  }

  /// Returns the identities in an entry: several for operations that were sent together.
  ///
  /// - Returns: empty if the body is required, but was not recorded.
  static func all(
    of entry: HAREntry, reads: [HARImportOptions.Read]
  ) -> [RequestIdentity] {
    let operations = graphQL(entry)
    if !operations.isEmpty { return operations }
    let isRead =
      entry.method == "GET" || entry.method == "HEAD"
      || reads.contains { $0.matches(entry.method, entry.address.path) }
    var identity = RequestIdentity(isWrite: !isRead)
    guard isRead, entry.method != "GET", entry.method != "HEAD" else {
      let isGraphQL = isGraphQL(entry.address.path.last ?? "")
      return isGraphQL && entry.method == "POST" && entry.requestBody.isMissing ? [] : [identity]
    }
    guard !entry.requestBody.isMissing else { return [] }
    let text = entry.requestBody.text
    if let text, let json = try? JSONParser.parse(Array(text.utf8)[...], within: HAREntry.bounds) {
      identity.body = Print.of(json)
    } else if !entry.requestBody.parameters.isEmpty {
      // Independent of the order, as in an address; the text may have a random boundary.
      identity.body = entry.requestBody.parameters.reduce(24) {
        $0 &+ Print.of(Print.of($1.name), Print.of($1.value))
      }
    } else if let text {
      identity.body = Print.of(text)
    }
    return [identity]
  }

  private static func isGraphQL(_ segment: String) -> Bool { segment.lowercased() == "graphql" }

  /// Returns operations of GraphQL over HTTP: in a body of JSON, one or a list, in a form, or in parameters.
  private static func graphQL(_ entry: HAREntry) -> [RequestIdentity] {
    let isAtGraphQL = entry.address.path.contains(where: isGraphQL)
    if entry.method == "GET" || entry.requestBody.text == nil
      || entry.requestBody.mimeType == "application/x-www-form-urlencoded"
    {
      let parameters =
        entry.method == "GET" ? entry.address.parameters : entry.requestBody.parameters
      let members = parameters.map { parameter in
        ["variables", "extensions"].contains(parameter.name)
          ? JSONMember(
            parameter.name,
            (try? JSONParser.parse(Array(parameter.value.utf8)[...], within: HAREntry.bounds))
              ?? .string(parameter.value))
          : JSONMember(parameter.name, .string(parameter.value))
      }
      guard var identity = operation(.object(members), isAtGraphQL: isAtGraphQL) else { return [] }
      // GraphQL over HTTP, section 6.2.1: a GET does not write.
      if entry.method == "GET" { identity.isWrite = false }
      return [identity]
    }
    guard let text = entry.requestBody.text else { return [] }
    if entry.requestBody.mimeType == "application/graphql" {
      return operation(.object([JSONMember("query", .string(text))]), isAtGraphQL: true).map {
        [$0]
      } ?? []
    }
    guard let first = text.utf8.first(where: { $0 > 0x20 }),
      first == UInt8(ascii: "{") || first == UInt8(ascii: "["),
      let json = try? JSONParser.parse(Array(text.utf8)[...], within: HAREntry.bounds)
    else { return [] }
    guard let elements = json.elements else {
      return operation(json, isAtGraphQL: isAtGraphQL).map { [$0] } ?? []
    }
    let all = elements.compactMap { operation($0, isAtGraphQL: isAtGraphQL) }
    return all.count == elements.count ? all : []
  }

  /// Returns an operation from the body of a request or from a message.
  static func operation(_ json: JSONValue, isAtGraphQL: Bool) -> RequestIdentity? {
    let query = json["query"]?.text.flatMap { $0.utf8.contains(UInt8(ascii: "{")) ? $0 : nil }
    let hash = json["extensions"]?["persistedQuery"]?["sha256Hash"]?.text
    let name = json["operationName"]?.text.flatMap { $0.isEmpty ? nil : $0 }
    let document =
      hash
      // Beside a text, they may be anything.
      ?? (isAtGraphQL && query == nil
        ? ["doc_id", "documentId", "document_id", "queryId", "id"].lazy
          .compactMap { json[$0]?.text }.first : nil)
    guard query != nil || document != nil || name != nil && json["variables"] != nil else {
      return nil
    }
    let text = query.map { GraphQLText($0) }
    let own = text?.operations.first { name == nil || $0.name == name } ?? text?.operations.first
    let called = name ?? own?.name
    // A text without operations is not GraphQL, such as a search for a brace.
    if text != nil, own == nil, hash == nil, name == nil { return nil }
    let key = called.map { Print.of($0) } ?? Print.of(document ?? query ?? "")
    // Missing and empty variables are equal.
    let variables = json["variables"].flatMap { value in
      value == .null || value.members?.isEmpty == true ? nil : Print.of(value)
    }
    return RequestIdentity(
      operation: Operation(
        name: called, key: key, document: document.map { Print.of($0) }, variables: variables ?? 0,
        text: text),
      isWrite: own.map { $0.kind == .mutation })
  }
}

/// Metadata in an answer of GraphQL.
enum GraphQLAnswer {
  /// Returns whether the server requests the text of the operation.
  ///
  /// Source: Apollo Server, automatic persisted queries.
  static func asksForText(_ json: JSONValue) -> Bool {
    (json["errors"]?.elements ?? []).contains { error in
      error["message"]?.text == "PersistedQueryNotFound"
        || error["extensions"]?["code"]?.text == "PERSISTED_QUERY_NOT_FOUND"
    }
  }

  static func isFailure(_ json: JSONValue) -> Bool {
    guard let errors = json["errors"], errors.elements?.isEmpty != true, errors != .null else {
      return false
    }
    return json["data"] == nil || json["data"] == .null
      || json["data"]?.members.map { !$0.isEmpty && $0.allSatisfy { $0.value == .null } } == true
  }
}
