extension DataModel {
  /// Gives each field its place among the words of a state.
  ///
  /// Fields of one name have one slot in all types, so that a list of several types reads one.
  package static func setSlots(of types: inout [EntityType]) {
    var slots: [(name: String, slot: Int)] = []
    for type in types.indices {
      for field in types[type].fields.indices {
        let name = types[type].fields[field].name
        if slots.contains(where: { $0.name == name }) { continue }
        let company = types.filter { $0.field(named: name) != nil }.flatMap(\.fields).map(\.name)
        var slot = 0
        while slots.contains(where: { $0.slot == slot && company.contains($0.name) }) { slot += 1 }
        slots.append((name, slot))
      }
    }
    for type in types.indices {
      for field in types[type].fields.indices {
        let name = types[type].fields[field].name
        if let slot = slots.first(where: { $0.name == name })?.slot {
          types[type].fields[field].slot = slot
        }
      }
    }
  }

  /// The words of a state of a type in which nothing is set.
  package func blankWords(ofType place: Int) -> [UInt64] {
    var words = [UInt64](repeating: 0, count: width(ofType: place))
    for field in types[place].fields {
      let slot = field.slot
      switch field.content {
      case .one: words[slot] = UInt64(Revision.noObject)
      case .integer, .time: words[slot] = OrderedWord.of(0)
      case .text, .flag, .many: break
      }
    }
    return words
  }
}
