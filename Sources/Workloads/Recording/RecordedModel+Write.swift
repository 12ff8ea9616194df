import CacheModel
package import Text

/// The model of an app as a recording has it: types with their fields, and the forms of query.
///
/// How many entities there were, how large, and how they were drawn is in the recording itself.
enum RecordedModel {
  /// The word for the library of files, whose model needs no words.
  static let files = "files"

  static func write(_ model: DataModel, _ json: inout JSONWriter) {
    guard model != .fileLibrary else {
      json.member("model", files)
      return
    }
    declare(model, &json)
  }

  static func declare(_ model: DataModel, _ json: inout JSONWriter) {
    json.object("model") { json in
      json.array("types") { json in
        for type in model.types {
          json.object { json in
            json.member("name", type.name)
            json.array("fields") { json in
              for field in type.fields { write(field, model, &json) }
            }
            if let summary = type.summary { write(summary, of: type, &json) }
          }
        }
      }
      json.array("queries") { json in
        for shape in model.shapes { write(shape, model, &json) }
      }
    }
  }

  private static func write(
    _ summary: EntitySummary, of type: EntityType, _ json: inout JSONWriter
  ) {
    json.object("summary") { json in
      json.array("shows") { json in
        for field in summary.fields { json.element(type.fields[field].name) }
      }
      switch summary.size {
      case .fixed(let bytes): json.member("bytes", bytes)
      case .share(let millionths): json.member("millionths", millionths)
      }
    }
  }

  private static func write(_ field: ModelField, _ model: DataModel, _ json: inout JSONWriter) {
    json.object { json in
      json.member("name", field.name)
      json.member("holds", Holding(field.content).rawValue)
      if let target = field.target { json.member("to", model.types[target].name) }
      if case .one(_, _, true) = field.content { json.flag("owner") }
    }
  }

  private static func write(_ shape: QueryShape, _ model: DataModel, _ json: inout JSONWriter) {
    json.object { json in
      json.member("name", shape.name)
      json.array("lists") { json in
        for type in shape.types { json.element(model.types[type].name) }
      }
      if !shape.conditions.isEmpty {
        json.array("where") { json in
          for condition in shape.conditions {
            json.object { write(condition, isAboutMe: shape.isAboutMe, &$0) }
          }
        }
      }
      json.array("order") { json in
        for ordering in shape.order {
          json.object { json in
            json.member("field", ordering.member.name)
            if ordering.isDescending { json.flag("descending") }
          }
        }
      }
      json.member("rows", shape.rows)
      if shape.isPaged { json.flag("paged") }
      if shape.cachedFrom > 0 { json.member("cachedFrom", shape.cachedFrom) }
      if shape.showsSummaries { json.member("shows", "summary") }
      if shape.reportClass != shape.name { json.member("class", shape.reportClass) }
    }
  }

  private static func write(
    _ condition: QueryShape.Condition, isAboutMe: Bool, _ json: inout JSONWriter
  ) {
    let subject = isAboutMe ? "me" : "subject"
    switch condition {
    case .isSubject(let field):
      json.member("field", field.name)
      json.member("is", subject)
    case .includesSubject(let field):
      json.member("field", field.name)
      json.member("includes", subject)
    case .isSubjectItself: json.member("itself", subject)
    case .beginsWithTyped(let field):
      json.member("field", field.name)
      json.member("begins", "typed")
    case .flag(let field, let isSet):
      json.member("field", field.name)
      json.member("is", isSet ? "set" : "unset")
    case .compares(let field, let comparison, let constant):
      json.member("field", field.name)
      json.member("compares", comparison.rawValue)
      json.member("to", constant)
    }
  }

  /// What a field holds, in the words of a recording.
  enum Holding: String, CaseIterable {
    case integer, time, text, flag, reference, references

    init(_ content: ModelField.Content) {
      switch content {
      case .integer: self = .integer
      case .time: self = .time
      case .text: self = .text
      case .flag: self = .flag
      case .one: self = .reference
      case .many: self = .references
      }
    }
  }
}

extension DataModel {
  /// Writes the model as a member `model`, in the words of a recording; that of files too.
  package func writeDeclaration(_ json: inout JSONWriter) { RecordedModel.declare(self, &json) }
}
