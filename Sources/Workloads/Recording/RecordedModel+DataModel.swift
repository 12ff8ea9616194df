import CacheModel
import RecordingCodec
package import Text

extension DataModel {
  /// Writes the model as a member `model`, in the words of a recording.
  package func writeDeclaration(_ json: inout JSONWriter) { RecordedModel(self).write(into: &json) }
}

extension RecordedModel {
  init(_ model: DataModel) {
    self.init()
    types = model.types.map { type in
      var recorded = RecordedType()
      recorded.name = type.name
      recorded.fields = type.fields.map { RecordedField($0, model) }
      recorded.views = type.summary.map { [RecordedView($0, of: type)] } ?? []
      return recorded
    }
    queries = model.shapes.map { RecordedQuery($0, model) }
  }
}

extension RecordedField {
  fileprivate init(_ field: ModelField, _ model: DataModel) {
    self.init()
    name = field.name
    holds = Holding(field.content)
    to = field.target.map { model.types[$0].name }
    if case .one(_, _, true) = field.content { cascades = true }
  }
}

extension RecordedField.Holding {
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

extension RecordedView {
  /// What the one view of a type is called that a model has.
  static let summary = "summary"

  fileprivate init(_ summary: EntitySummary, of type: EntityType) {
    self.init()
    name = Self.summary
    shows = summary.fields.map { type.fields[$0].name }
    switch summary.size {
    case .fixed(let size): bytes = size
    case .share(let share): millionths = share
    }
  }
}

extension RecordedQuery {
  fileprivate init(_ shape: QueryShape, _ model: DataModel) {
    self.init()
    name = shape.name
    lists = shape.types.map { model.types[$0].name }
    conditions = shape.conditions.map { RecordedCondition($0, isAboutMe: shape.isAboutMe) }
    order = shape.order.map { ordering in
      var order = RecordedOrder()
      (order.field, order.isDescending) = (ordering.member.name, ordering.isDescending)
      return order
    }
    rows = shape.rows
    isPaged = shape.isPaged
    cachedFrom = shape.cachedFrom
    shows = shape.showsSummaries ? RecordedView.summary : nil
    reportClass = shape.reportClass == shape.name ? nil : shape.reportClass
  }
}

extension RecordedCondition {
  fileprivate init(_ condition: QueryShape.Condition, isAboutMe: Bool) {
    self.init()
    let subject = isAboutMe ? "me" : "subject"
    switch condition {
    case .isSubject(let member): (field, isWord) = (member.name, subject)
    case .includesSubject(let member): (field, includes) = (member.name, subject)
    case .isSubjectItself: id = subject
    case .beginsWithTyped(let member): (field, begins) = (member.name, "typed")
    case .flag(let member, let isSet): (field, isWord) = (member.name, isSet ? "set" : "unset")
    case .compares(let member, let comparison, let constant):
      (field, compares, to) = (member.name, comparison.rawValue, constant)
    }
  }
}
