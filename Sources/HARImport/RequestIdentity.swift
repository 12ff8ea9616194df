import Text

/// What a request asks for or changes.
///
/// A GraphQL operation is its name and its variables. Anything else is its method, host, path and
/// parameters; which of these never repeat is known only when all requests were seen.
struct RequestIdentity {
  /// Of GraphQL; `nil` for other requests.
  var operation: Operation?
  /// Whether it changes something; `nil` where only the text of the operation could tell.
  var isWrite: Bool?
  /// Of a body that is part of what is asked.
  var body: UInt64 = 0

  struct Operation {
    /// `nil` where it has none.
    var name: String?
    /// Of the name, or of what stands for the operation without one.
    var key: UInt64
    /// Of the digest, or of another name of its text, that the server knows.
    var document: UInt64?
    var variables: UInt64
    /// As far as the text is there.
    var text: GraphQLText?
  }

  /// What an entry asks for: several operations if they were sent together.
  ///
  /// - Returns: empty where the request would have to be known, and was not recorded.
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
      let isGraphQL = entry.address.path.last?.lowercased() == "graphql"
      return isGraphQL && entry.method == "POST" && entry.requestBody.isMissing ? [] : [identity]
    }
    if let text = entry.requestBody.text {
      let json = try? JSONParser.parse(Array(text.utf8)[...], within: HAREntry.bounds)
      identity.body = json.map { Print.of($0) } ?? Print.of(text)
    }
    return [identity]
  }

  /// Operations of GraphQL over HTTP: in a body of JSON, one or a list, in a form, or in parameters.
  private static func graphQL(_ entry: HAREntry) -> [RequestIdentity] {
    let isAtGraphQL = entry.address.path.contains { $0.lowercased().contains("graphql") }
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
      return operation(.object(members), isAtGraphQL: isAtGraphQL).map { [$0] } ?? []
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

  /// An operation as the body of a request has it, also that of a message.
  static func operation(_ json: JSONValue, isAtGraphQL: Bool) -> RequestIdentity? {
    let query = json["query"]?.text.flatMap { $0.utf8.contains(UInt8(ascii: "{")) ? $0 : nil }
    let hash = json["extensions"]?["persistedQuery"]?["sha256Hash"]?.text
    let name = json["operationName"]?.text.flatMap { $0.isEmpty ? nil : $0 }
    let document =
      hash
      ?? (isAtGraphQL
        ? ["doc_id", "documentId", "document_id", "queryId", "id"].lazy
          .compactMap { json[$0]?.text }.first : nil)
    guard query != nil || document != nil || name != nil && json["variables"] != nil else {
      return nil
    }
    let text = query.map { GraphQLText($0) }
    let own = text?.operations.first { name == nil || $0.name == name } ?? text?.operations.first
    let called = name ?? own?.name
    // A text without operations is not GraphQL: a search for a brace, say.
    if text != nil, own == nil, hash == nil, name == nil { return nil }
    let key = called.map { Print.of($0) } ?? Print.of(document ?? query ?? "")
    // Nothing and an empty set of variables are the same.
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

/// What an answer of GraphQL says beyond its data.
enum GraphQLAnswer {
  /// Whether the server has to be sent the text of the operation.
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
