import CacheModel
import RecordingCodec
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
    let word = word(field.slot, of: state)
    return switch field.content {
    case .integer, .time: .number(OrderedWord.number(word))
    case .text: .text(word == 0 ? "" : LetterCode.decode(word))
    case .flag: .flag(word != 0)
    case .one: .one(word == UInt64(Revision.noObject) ? nil : UInt32(truncatingIfNeeded: word))
    case .many: .many(Array(labels[LabelRange(word: word).indices]))
    }
  }

  /// A field of a state as a recording has it; `nil` where it is as nothing was set.
  func recorded(_ field: ModelField, of state: UInt32) -> RecordedState.Field? {
    let value: RecordedState.Value? =
      switch value(of: field, in: state) {
      case .number(let number): number == 0 ? nil : .number(number)
      case .text(let text): text.isEmpty ? nil : .text(text)
      case .flag(let isSet): isSet ? .flag(true) : nil
      case .one(let object): object.map { .number(Int64($0)) }
      case .many(let objects): objects.isEmpty ? nil : .references(objects)
      }
    return value.map { RecordedState.Field(field.name, $0) }
  }

  /// Writes a field of a state as a member of its name; one that is as nothing was set is left out.
  package func write(_ field: ModelField, of state: UInt32, into json: inout JSONWriter) {
    recorded(field, of: state)?.write(into: &json)
  }

  /// The word of a field of a state, ordered as the field is.
  package func word(_ slot: Int, of state: UInt32) -> UInt64 {
    values[Int(valueStarts[Int(state)]) + slot]
  }
}
