import CacheModel
package import Text

extension Catalog {
  /// What a field holds.
  package enum FieldValue {
    /// A whole number, or an instant.
    case number(Int64)
    case text(String)
    case flag(Bool)
    /// The object that it refers to; `nil`: none.
    case one(UInt32?)
    case many([UInt32])
  }

  package func value(of field: ModelField, in state: UInt32) -> FieldValue {
    let word = word(field.storage, of: state)
    return switch field.content {
    case .integer, .time: .number(OrderedWord.number(word))
    case .text: .text(word == 0 ? "" : LetterCode.decode(word))
    case .flag: .flag(word != 0)
    case .one: .one(word == UInt64(Revision.noObject) ? nil : UInt32(truncatingIfNeeded: word))
    case .many: .many(Array(labels[LabelRange(word: word).indices]))
    }
  }

  /// Writes a field of a state as a member of its name; one that is as nothing was set is left out.
  package func write(_ field: ModelField, of state: UInt32, into json: inout JSONWriter) {
    switch value(of: field, in: state) {
    case .number(let number): if number != 0 { json.member(field.name, number) }
    case .text(let text): if !text.isEmpty { json.member(field.name, text) }
    case .flag(let isSet): if isSet { json.flag(field.name) }
    case .one(let object): if let object { json.member(field.name, object) }
    case .many(let objects):
      guard !objects.isEmpty else { return }
      json.array(field.name) { json in
        for object in objects { json.element(object) }
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
