import CacheModel
package import Text

extension Catalog {
  /// Writes a field of a state as a member of its name; one that is as nothing was set is left out.
  package func write(_ field: ModelField, of state: UInt32, into json: inout JSONWriter) {
    let word = word(field.storage, of: state)
    switch field.content {
    case .integer, .time:
      let number = OrderedWord.number(word)
      if number != 0 { json.member(field.name, number) }
    case .text: if word != 0 { json.member(field.name, LetterCode.decode(word)) }
    case .flag: if word != 0 { json.flag(field.name) }
    case .one: if word != UInt64(Revision.noObject) { json.member(field.name, word) }
    case .many:
      let range = LabelRange(word: word)
      guard range.count > 0 else { return }
      json.array(field.name) { json in
        for label in labels[range.indices] { json.element(label) }
      }
    }
  }

  /// The word of a field of a state, ordered as the field is.
  private func word(_ storage: ModelField.Storage, of state: UInt32) -> UInt64 {
    let revision = revisions[Int(state)]
    return switch storage {
    case .parent: UInt64(revision.parent)
    case .name: revision.name
    case .modified: OrderedWord.of(revision.modified)
    case .isMedia: revision.isMedia ? 1 : 0
    case .labels: LabelRange(start: revision.labelStart, count: revision.labelCount).word
    case .value(let slot): values[Int(valueStarts[Int(state)]) + slot]
    }
  }
}
