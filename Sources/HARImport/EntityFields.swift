import Text

/// The fields of an entity: its members, and by their paths those of objects in it without an identity.
///
/// Two answers may select different members of such an object (`price.amount`, `price.currency`), so each is
/// compared with itself. In a list, a member is compared in all of its elements. Whether there is an object
/// is a field too, and so is the entity that a member references: neither is compared with the content of an
/// object that another answer embeds instead.
struct EntityFields {
  private(set) var all: [ShownField] = []
  /// Whether a member has entities.
  var hasEntities = false
  private var places: [UInt64: Int] = [:]

  /// The limits of a path, and of an entity: beyond them, an object is compared as a whole.
  static let mostDepth = 6
  static let mostFields = 128

  /// What a field says of the value at a path.
  enum Aspect: UInt64 {
    /// A text, a number, …
    case value
    /// Whether there is an object, or how many elements there are.
    case form
    case reference
    /// The content of an object as a whole.
    case content
  }

  /// A path below an entity.
  struct Path {
    var name: String
    var label: UInt64
    var depth = 1
    /// A hash of the indices in the lists above.
    var position: UInt64 = 0
    /// The size of the name including a colon and a comma; 0 in a list.
    var bytes: Int

    /// The path of an element of the list.
    func element(_ index: Int) -> Path {
      var path = self
      (path.position, path.bytes) = (Print.of(position, UInt64(index) + 1), 0)
      return path
    }
  }

  /// Adds a value to a field: the values in a list are one.
  mutating func add(_ aspect: Aspect, _ print: UInt64, at path: Path, bytes: Int) {
    let label = aspect == .value ? path.label : Print.of(path.label, aspect.rawValue)
    let own = path.position == 0 ? print : Print.of(path.position, print)
    if let place = places[label] {
      all[place].value = Print.of(all[place].value, own)
      all[place].bytes = Int32(clamping: Int(all[place].bytes) + bytes)
    } else {
      places[label] = all.count
      all.append(
        ShownField(name: path.name, label: label, value: own, bytes: Int32(clamping: bytes)))
    }
  }

  /// Distinguishes the fields by what else determines their values.
  mutating func relabel(_ label: (UInt64) -> UInt64) {
    for place in all.indices { all[place].label = label(all[place].label) }
  }
}

extension EntityExtraction {
  /// Returns the fields of a member of an entity, and adds the entities in it.
  mutating func fields(
    of member: JSONMember, below type: String, among count: Int
  ) -> [ShownField] {
    var fields = EntityFields()
    let path = EntityFields.Path(
      name: member.name, label: label(member.name), bytes: CompactSize.of(member.name) + 2)
    add(member, at: path, below: type, among: count, to: &fields)
    if fields.hasEntities, let graphQL, graphQL.text == nil {
      // Without the text, the arguments of each field are unknown.
      fields.relabel { Print.of(Print.of($0, graphQL.key), graphQL.variables) }
    }
    return fields.all
  }

  private mutating func add(
    _ member: JSONMember, at path: EntityFields.Path, below type: String, among count: Int,
    to fields: inout EntityFields
  ) {
    guard !ignores(member.name, at: path.name) else {
      let found = content(of: member.value, below: type, isOwn: false)
      return fields.add(.value, 0, at: path, bytes: path.bytes + found.bytes)
    }
    // A number equals its text.
    if path.depth == 1, identityMembers.contains(member.name),
      let text = Self.idText(member.value)
    {
      let bytes = path.bytes + CompactSize.ofScalar(member.value)
      return fields.add(.value, Print.of(text), at: path, bytes: bytes)
    }
    add(member.value, at: path, below: type, among: count, to: &fields)
  }

  private mutating func add(
    _ value: JSONValue, at path: EntityFields.Path, below type: String, among count: Int,
    to fields: inout EntityFields
  ) {
    switch value {
    case .null, .bool, .number, .real, .string:
      fields.add(
        .value, Print.of(value), at: path, bytes: path.bytes + CompactSize.ofScalar(value))
      if value == .null { fields.add(.form, 0, at: path, bytes: 0) }
    case .array(let elements):
      fields.add(
        .form, Print.of(11, UInt64(elements.count)), at: path,
        bytes: path.bytes + 2 + max(0, elements.count - 1))
      for (index, element) in elements.enumerated() {
        add(element, at: path.element(index), below: type, among: count, to: &fields)
      }
    case .object(let members):
      if isEntity(value) {
        let found = content(of: value, below: type, isOwn: false)
        fields.hasEntities = true
        fields.add(.form, 1, at: path, bytes: path.bytes)
        return fields.add(.reference, found.print, at: path, bytes: 0)
      }
      // In a dictionary, the names are data, and a name that is missing is a change.
      let isWhole =
        members.isEmpty || members.contains { !TypeName.isCode($0.name) }
        || isMap(members, below: type) || path.depth >= EntityFields.mostDepth
        || max(members.count, count + fields.all.count) > EntityFields.mostFields
      guard !isWhole else {
        let found = content(of: value, below: type, isOwn: false)
        fields.hasEntities = fields.hasEntities || found.hasEntities
        fields.add(.form, 1, at: path, bytes: path.bytes)
        return fields.add(.content, found.print, at: path, bytes: found.bytes)
      }
      fields.add(.form, 1, at: path, bytes: path.bytes + 1)
      for member in members where member.name != "__typename" || !isGraphQL {
        var inner = path
        inner.name += "." + member.name
        inner.label = Print.of(path.label, label(member.name))
        inner.depth += 1
        inner.bytes = CompactSize.of(member.name) + 2
        add(
          member, at: inner, below: typeName(member.name, type, member.value), among: count,
          to: &fields)
      }
    }
  }
}
