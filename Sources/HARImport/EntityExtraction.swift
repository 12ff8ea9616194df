import Text

struct ShownEntity {
  var type: String
  /// Whether the answer names the type, as `__typename`.
  var isTypeNamed: Bool
  /// A hash of its identity, without the type.
  var id: UInt64
  /// Whether the same identity in other types is unlikely to be a coincidence.
  var isOpaque: Bool
  var fields: [ShownField]
  /// The value of its version members, which increase with each change; `nil` without a number or a date.
  var version: Int64?
  /// The size of its JSON, without nested entities.
  var bytes: Int { 1 + fields.reduce(0) { $0 + Int($1.bytes) } }
}

struct ShownField: Hashable {
  var name: String
  /// A hash of the name and of the arguments that determine its value.
  var label: UInt64
  var value: UInt64
  /// The size including its name and a comma.
  var bytes: Int32
}

/// Finds the entities of an answer: JSON objects with an identity, in order of first appearance.
///
/// O(values). Nested ones are separate entities, which their parent references; an object without an identity
/// belongs to its parent (see ``EntityFields``), or to the query's own row.
struct EntityExtraction {
  private(set) var entities: [ShownEntity] = []
  /// The content without an entity.
  private(set) var own: [ShownField] = []

  private let options: HARImportOptions
  /// The REST path, used for finding types.
  private let path: [String]
  let graphQL: RequestIdentity.Operation?
  let isGraphQL: Bool
  private let isJSONAPI: Bool
  let identityMembers: Set<String>
  private var places: [UInt64: Int] = [:]
  /// The options that an answer used.
  private(set) var usedOptions: Set<String> = []

  static let identities = [["id"], ["_id"], ["uuid"], ["nodeId"], ["node_id"]]
  static let versions: Set = [
    "updatedAt", "updated_at", "version", "etag", "rev", "_rev", "modified",
  ]
  /// Members that contain entities, without information on their type.
  static let wrappers: Set = [
    "data", "items", "results", "result", "nodes", "node", "edges", "records", "rows", "values",
    "value", "content", "entries", "hits", "docs", "payload", "response", "_embedded", "included",
    "objects", "collection", "d", "list", "page", "body", "attributes", "relationships",
  ]

  init(
    of answer: JSONValue, path: [String], operation: RequestIdentity.Operation?, isGraphQL: Bool,
    isJSONAPI: Bool = false, options: HARImportOptions
  ) {
    (self.options, self.path, graphQL) = (options, path, operation)
    self.isGraphQL = isGraphQL
    identityMembers = Set((options.identities + Self.identities).joined())
    self.isJSONAPI = !isGraphQL && (isJSONAPI || Self.isDocumentOfJSONAPI(answer))
    let root = isGraphQL ? answer["data"] ?? .null : answer
    if root.members == nil || isEntity(root) {
      // An array may also have elements without an identity.
      let found = content(of: root, below: "", isOwn: true)
      if found.hasContent { own.append(field("", found)) }
      return
    }
    let isMap = isMap(root.members ?? [], below: "")
    for member in root.members ?? [] where !isGraphQL || member.name != "__typename" {
      let type = isMap ? "" : typeName(member.name, "", root)
      let found = content(of: member.value, below: type, isOwn: true)
      if found.hasContent, !ignores(member.name) { own.append(field(member.name, found)) }
    }
  }

  struct Found {
    var print: UInt64
    var bytes: Int
    /// Whether there is content outside of nested entities.
    var hasContent: Bool
    var hasEntities = false
  }

  /// Returns the content of a value without nested entities, which are added.
  mutating func content(of value: JSONValue, below property: String, isOwn: Bool) -> Found {
    switch value {
    case .array(let elements):
      var list = Found(print: 11, bytes: 2 + max(0, elements.count - 1), hasContent: false)
      for element in elements {
        let found = content(of: element, below: property, isOwn: isOwn)
        if !isOwn || found.hasContent { list.print = Print.of(list.print, found.print) }
        list.bytes += found.bytes
        list.hasContent = list.hasContent || found.hasContent
        list.hasEntities = list.hasEntities || found.hasEntities
      }
      return list
    case .object(let members):
      if let identity = identity(of: value) {
        return Found(
          print: note(value, members, identity, property), bytes: 0, hasContent: false,
          hasEntities: true)
      }
      var object = Found(print: 12, bytes: 1, hasContent: false)
      let isMap = isMap(members, below: property)
      for member in members where member.name != "__typename" || !isGraphQL {
        let type = isMap ? property : typeName(member.name, property, member.value)
        let found = content(of: member.value, below: type, isOwn: isOwn)
        object.bytes += CompactSize.of(member.name) + 2 + found.bytes
        object.hasEntities = object.hasEntities || found.hasEntities
        guard !ignores(member.name) else { continue }
        if !isOwn || found.hasContent {
          object.print = object.print &+ Print.of(Print.of(member.name), found.print)
        }
        object.hasContent = object.hasContent || found.hasContent
      }
      return object
    case .null, .bool, .number, .real, .string:
      return Found(
        print: Print.of(value), bytes: CompactSize.ofScalar(value), hasContent: value != .null)
    }
  }

  /// Adds an entity, or new fields of one that the answer contained before.
  private mutating func note(
    _ value: JSONValue, _ members: [JSONMember], _ identity: Identity, _ property: String
  ) -> UInt64 {
    usedOptions.insert("--id \(identity.names.joined(separator: ","))")
    let (type, isNamed) = type(of: value, identity, below: property)
    let key = Print.of(Print.of(type), identity.print)
    let place = places[key] ?? entities.count
    if place == entities.count {
      places[key] = place
      entities.append(
        ShownEntity(
          type: type, isTypeNamed: isNamed, id: identity.print, isOpaque: identity.isOpaque,
          fields: []))
    }
    var fields: [ShownField] = []
    for member in members {
      let type = typeName(member.name, property, member.value)
      fields += self.fields(of: member, below: type, among: fields.count)
    }
    for field in fields where !entities[place].fields.contains(where: { $0.label == field.label }) {
      entities[place].fields.append(field)
    }
    for member in members where options.versionMembers.contains(member.name) {
      usedOptions.insert("--version-member \(member.name)")
    }
    entities[place].version = entities[place].version ?? version(of: members)
    return key
  }

  /// Returns the label of a member by its name: a hash of its field and arguments too, if they are known.
  func label(_ name: String) -> UInt64 {
    var label = Print.of(name)
    if let field = graphQL?.text?.fieldOfAlias[name] { label = Print.of(label, Print.of(field)) }
    if let graphQL, let arguments = graphQL.text?.arguments[name] {
      label = Print.of(label, Print.of(arguments))
      if arguments.utf8.contains(UInt8(ascii: "$")) { label = Print.of(label, graphQL.variables) }
    }
    return label
  }

  /// Returns a field of content without an entity.
  private func field(_ name: String, _ found: Found) -> ShownField {
    ShownField(
      name: name, label: label(name), value: found.print,
      bytes: Int32(clamping: CompactSize.of(name) + 2 + found.bytes))
  }

  /// Returns whether a member does not indicate a change, by its name at any depth or by its path.
  mutating func ignores(_ name: String, at path: String? = nil) -> Bool {
    let named = [name, path].compactMap(\.self).first(where: options.ignoredFields.contains)
    if let named { usedOptions.insert("--ignore-field \(named)") }
    return named != nil
  }

  // MARK: Identities and types

  private struct Identity {
    var print: UInt64
    /// Its members.
    var names: [String]
    var isOpaque: Bool
    /// The text of one member, for comparison with the path.
    var text: String?
  }

  func isEntity(_ value: JSONValue) -> Bool { identity(of: value) != nil }

  private func identity(of value: JSONValue) -> Identity? {
    guard case .object(let members) = value else { return nil }
    // A resource identifier of JSON:API references an entity, without content.
    if isJSONAPI, members.count <= 3,
      members.allSatisfy({ ["type", "id", "meta"].contains($0.name) }),
      value["type"]?.text != nil, value["id"]?.text != nil
    {
      return nil
    }
    for names in options.identities + Self.identities {
      let texts = names.compactMap { name in value[name].flatMap { Self.idText($0) } }
      guard texts.count == names.count, !texts.isEmpty else { continue }
      let print = texts.dropFirst().reduce(Print.of(texts[0])) { Print.of($0, Print.of($1)) }
      let isNumber = texts.allSatisfy { $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }
      return Identity(
        print: print, names: names, isOpaque: !isNumber && texts.contains { $0.utf8.count >= 8 },
        text: texts.count == 1 ? texts[0] : nil)
    }
    return nil
  }

  /// Returns an identity as text: a number equals its text.
  static func idText(_ value: JSONValue) -> String? {
    switch value {
    case .string(let text): text.isEmpty || text.utf8.count > 4_096 ? nil : text
    case .number(let isNegative, let magnitude): (isNegative ? "-" : "") + String(magnitude)
    case .real(let value): value.description
    case .null, .bool, .array, .object: nil
    }
  }

  private mutating func type(
    of value: JSONValue, _ identity: Identity, below property: String
  ) -> (name: String, isNamed: Bool) {
    if let name = value["__typename"]?.text, !name.isEmpty { return (name, true) }
    for member in options.typeMembers {
      guard let name = value[member]?.text, !name.isEmpty else { continue }
      usedOptions.insert("--type \(member)")
      return (name, true)
    }
    if let name = value["type"]?.text, Self.isOfJSONAPI(value) { return (name, true) }
    if !property.isEmpty { return (TypeName.singular(property), false) }
    return (TypeName.ofPath(path, id: identity.text) ?? "entity", false)
  }

  /// Returns whether an answer is a document of JSON:API: it says so, or a resource has its parts.
  private static func isDocumentOfJSONAPI(_ answer: JSONValue) -> Bool {
    guard answer.members != nil else { return false }
    let data = answer["data"] ?? .null
    let resources = (data.elements ?? [data]) + (answer["included"]?.elements ?? [])
    return answer["jsonapi"] != nil || resources.contains(where: isOfJSONAPI)
  }

  private static func isOfJSONAPI(_ value: JSONValue) -> Bool {
    value["type"]?.text != nil
      && (value["attributes"]?.members != nil || value["relationships"]?.members != nil)
  }

  /// Returns the type of a member's value: its name, or the enclosing name if that has no information.
  func typeName(_ name: String, _ property: String, _ value: JSONValue) -> String {
    let field = graphQL?.text?.fieldOfAlias[name] ?? name
    guard !Self.wrappers.contains(field), TypeName.isCode(field) else { return property }
    // In a dictionary by identity, the name is the identity.
    if let text = identity(of: value)?.text, text.utf8.elementsEqual(name.utf8) { return property }
    return field
  }

  /// Returns whether the names of an object are keys of entities instead of properties: all have the same
  /// form, or it contains several.
  func isMap(_ members: [JSONMember], below property: String) -> Bool {
    guard !isGraphQL, !members.isEmpty, members.allSatisfy({ identity(of: $0.value) != nil }) else {
      return false
    }
    if TypeName.singular(property) != property { return true }
    let names = members.map { Set(($0.value.members ?? []).map(\.name)) }
    return members.count >= 2 && names.allSatisfy { $0 == names[0] }
  }

  // MARK: Versions

  private func version(of members: [JSONMember]) -> Int64? {
    for member in members
    where Self.versions.contains(member.name) || options.versionMembers.contains(member.name) {
      switch member.value {
      case .number, .real:
        if let number = member.value.lenientNumber, number.magnitude < 9e15 {
          return Int64(number * 1_000)
        }
      case .string(let text):
        if let instant = WallTime.nanoseconds(text) { return instant }
        if let number = Int64(text), number.magnitude < 1 << 50 { return number * 1_000 }
      case .null, .bool, .array, .object: break
      }
    }
    return nil
  }
}
