import CacheModel
import NormalizedCache
import Text
import Workloads

/// The text form of a policy: five lines; `-` means none, times are in milliseconds.
///
/// An axis without a name of its own is on the last line, under its key.
enum CompositionLines {
  /// The lines of the format, with the key of an axis in the place of its value.
  ///
  /// A field marked with `?` is written only if it differs from ``unwritten``.
  private static let lines = [
    "capacity entities=capacity-entities bytes=capacity-bytes high=high-watermark "
      + "low=low-watermark queries=maximum-queries memory=capacity-memory? limit=limit?",
    "eviction order=eviction-order admission=admission? retention=retention",
    "release buffer= queries=release-buffer-queries age=release-buffer-age "
      + "reads=release-buffer-reads?",
    "freshness lifetime=time-to-live folder= drops-expired=drops-expired "
      + "revalidate=stale-while-revalidate error=stale-if-error from=time-to-live-from?",
    "events admission=event-admission membership=membership gap=gap-response "
      + "reorder=reorder-window coalescing=coalescing-window poll=poll-interval? "
      + EventOrigin.allCases.map { "\($0.rawValue)=?" }.joined(separator: " "),
  ]

  private struct Field: Sendable {
    let name: String
    /// The axis; `nil`: the part of a policy that the name identifies.
    let axis: PolicyAxis?
    let isOptional: Bool

    init(_ text: Substring) {
      let parts = text.split(separator: "=", omittingEmptySubsequences: false)
      name = String(parts[0])
      isOptional = parts[1].hasSuffix("?")
      axis = PolicyAxis.named(String(isOptional ? parts[1].dropLast() : parts[1]))
    }
  }

  private static let form: [(verb: String, fields: [Field])] = {
    var form = lines.map { line in
      let words = line.split(separator: " ")
      return (verb: String(words[0]), fields: words.dropFirst().map { Field($0) })
    }
    let named = form.flatMap(\.fields).compactMap { $0.axis?.name }
    // The axes of batches are written together, by origin.
    let others = PolicyAxis.all.map(\.name).filter { !named.contains($0) && !$0.contains(".") }
    form[form.count - 1].fields += others.map { Field("\($0)=\($0)?") }
    return form
  }()

  /// The defaults, which are not written.
  private static let unwritten: CachePolicy = {
    var composition = CachePolicy.plainest
    composition.releaseBuffer = ReleaseBuffer(queries: nil, age: nil)
    return composition
  }()

  // MARK: Writing

  static func lines(_ composition: CachePolicy) -> [CaseLine] {
    form.map { verb, fields in
      var line = CaseLine(verb)
      for field in fields {
        let text = text(of: field, composition)
        if !field.isOptional {
          line.append(field.name, text ?? "-")
        } else if let text, text != self.text(of: field, unwritten) {
          line.append(field.name, text)
        }
      }
      return line
    }
  }

  private static func text(of field: Field, _ composition: CachePolicy) -> String? {
    guard let axis = field.axis else {
      switch field.name {
      case "buffer": return composition.releaseBuffer == nil ? "no" : "yes"
      case "folder": return composition.freshness.perMethod[NoteQuery.folderMethod].map(text)
      default:
        return EventOrigin(rawValue: field.name).flatMap { composition.batchRules[$0] }.map(text)
      }
    }
    switch axis.read(composition) {
    case .number(let number): return "\(number)"
    case .duration(let duration): return text(duration)
    case .share(let share): return "\(share)"
    case .word(let word): return word
    case .unlimited: return "-"
    case .methods, nil: return nil
    }
  }

  private static func text(_ duration: Duration) -> String {
    "\(duration.wholeNanoseconds / nanoseconds)"
  }

  private static let nanoseconds: Int64 = 1_000_000

  private static func text(_ rule: BatchRule) -> String {
    let methods = rule.staleMethods.map { "\($0.rawValue)" }.joined(separator: ",")
    return [
      rule.admission?.rawValue ?? "-", rule.membership?.rawValue ?? "-",
      methods.isEmpty ? "-" : methods,
    ].joined(separator: "/")
  }

  private static func batchRule(_ written: String) -> BatchRule? {
    let parts = written.split(separator: "/").map(String.init)
    guard parts.count == 3 else { return nil }
    let methods = parts[2].split(separator: ",").compactMap { UInt16($0) }
    guard methods.count <= NoteQuery.methods.count else { return nil }
    let rule = BatchRule(
      admission: EventAdmission(rawValue: parts[0]), membership: Membership(rawValue: parts[1]),
      staleMethods: methods.map { QueryMethod(rawValue: $0) })
    // Values that this form cannot represent are written differently.
    return text(rule) == written ? rule : nil
  }

  // MARK: Reading

  static func read(_ lines: inout ArraySlice<CaseLine>) throws(CaseError) -> CachePolicy {
    var composition = unwritten
    let start = lines.first?.number ?? 1
    for (verb, fields) in form {
      var line = try CaseFile.next(verb, &lines)
      // The existence of a release buffer is written before its two values, but applied after them.
      for field in fields.reversed() where !field.isOptional || line.has(field.name) {
        try read(field, of: &line, into: &composition)
      }
      try line.end()
    }
    do throws(CachePolicyError) {
      try composition.validate()
      _ = try CacheStore(composition: composition, schema: NoteSchema())
    } catch {
      throw CaseError(
        line: start, cause: "no cache can be made so: \(error)", remedy: "correct the composition")
    }
    return composition
  }

  private static func read(
    _ field: Field, of line: inout CaseLine, into composition: inout CachePolicy
  ) throws(CaseError) {
    if let axis = field.axis {
      axis.write(&composition, try value(of: axis.field, called: field.name, on: &line))
    } else if let origin = EventOrigin(rawValue: field.name) {
      composition.batchRules[origin] = try line.field(
        field.name, as: "an admission, a membership and methods, as in `probation/-/1,2`"
      ) { batchRule($0) }
    } else if field.name == "folder" {
      composition.freshness.perMethod[NoteQuery.folderMethod] = try line.optionalNumber(
        field.name, in: milliseconds
      ).map { .milliseconds($0) }
    } else if try line.field(field.name, as: "yes|no", { ["yes": true, "no": false][$0] }) == false
    {
      composition.releaseBuffer = nil
    }
  }

  private static let milliseconds = 0...Int(Int64.max / nanoseconds)

  private static func value(
    of field: PolicyField, called name: String, on line: inout CaseLine
  ) throws(CaseError) -> PolicyValue {
    switch field.form {
    case .quantity(.share, _):
      try line.field(name, as: "a number from 0 to 1") { Double($0).map { .share($0) } }
    case .quantity(.duration, _):
      try line.optionalNumber(name, in: milliseconds).map { .duration(.milliseconds($0)) }
        ?? .unlimited
    case .quantity:
      try line.optionalNumber(name, in: 0...Int.max).map { .number(Int64($0)) } ?? .unlimited
    case .choice(let words):
      try line.field(name, as: words.joined(separator: "|")) {
        words.contains($0) ? .word($0) : nil
      }
    default: try line.field(name, as: "a name") { .word($0) }
    }
  }
}
