import CacheModel
import Foundation
import ResponseCache
import Testing

/// The reader of header fields against a model that was written from the grammar alone.
@Suite("Header fields, read and read by a model")
struct FieldReaderTests {
  /// `TIDEMARK_FIELDS`, else few.
  static let count =
    ProcessInfo.processInfo.environment["TIDEMARK_FIELDS"].flatMap { Int($0) } ?? 4_000

  private static let pieces = [
    "max-age", "no-store", "no-cache", "Vary", "a", "*", "=", "=", "60", "36", "\"", "\"", "\\",
    "\\\"", ",", ", ", ",", " ", "\t", ";", "\u{7F}", "\u{1}", "é", "\u{e000}", "'", "(", "0",
    "=\"a, no-store\"", "max-age=60", "max-age=\"36\\00\"",
  ]

  /// Some pieces in a row: now and then a list, more often not.
  static func field(_ random: inout RandomSource) -> String {
    let count = random.below(9)
    return (0..<count).map { _ in pieces[random.below(pieces.count)] }.joined()
  }

  private typealias Reader = @Sendable (String) -> [FieldModel.Directive]?

  private static let ours: Reader = { value in
    CacheDirective.list(value)?.map {
      FieldModel.Directive(name: $0.name, argument: $0.argument)
    }
  }

  /// The first field that a reader reads in another way than the model; and how many there were of either kind.
  private static func difference(
    _ read: Reader, seed: UInt64
  ) -> (field: String?, wellFormed: Int, malformed: Int) {
    var random = RandomSource(seed: seed)
    var (wellFormed, malformed) = (0, 0)
    for _ in 0..<count {
      let field = field(&random)
      let expected = FieldModel.directives(field)
      if read(field) != expected { return (field, wellFormed, malformed) }
      if expected == nil { malformed += 1 } else { wellFormed += 1 }
    }
    return (nil, wellFormed, malformed)
  }

  @Test(
    "Directives of random fields follow the grammar, and malformed ones are ignored (9110, 5.6)")
  func directives() {
    let (field, wellFormed, malformed) = Self.difference(Self.ours, seed: 1)
    #expect(field == nil, "\(field.map { Array($0.utf8) } ?? [])")
    #expect(wellFormed > Self.count / 20 && malformed > Self.count / 20)
  }

  @Test("A reader that knows no quoted pairs, or takes an open quote to the end, is found")
  func defects() {
    let withoutPairs: Reader = { value in
      Self.ours(value.replacing("\\\"", with: "\""))
    }
    let forgiving: Reader = { value in
      Self.ours(value) ?? (value.contains("\"") ? Self.ours(value + "\"") : nil)
    }
    for reader in [withoutPairs, forgiving] {
      #expect(Self.difference(reader, seed: 1).field != nil)
    }
  }

  @Test("Lists of names, and the first age, follow the grammar (9111, 4.1, 5.1)")
  func lists() {
    var random = RandomSource(seed: 2)
    for _ in 0..<Self.count {
      let field = Self.field(&random)
      #expect(FieldReader.tokens(field) == FieldModel.tokens(field), "\(field)")
    }
    let pieces = ["0", "7200", "00", ",", ", ", " ", "-1", "x", ";", "\"", "99999999999", "\t"]
    for _ in 0..<Self.count {
      let field = (0..<random.below(5)).map { _ in pieces[random.below(pieces.count)] }.joined()
      #expect(FieldReader.firstSeconds(field) == FieldModel.age(field), "\(field)")
    }
  }

  @Test("Dates of all three forms, and near dates, follow the grammar (9110, 5.6.7)")
  func dates() {
    var random = RandomSource(seed: 3)
    var dates = 0
    for _ in 0..<Self.count {
      let now = Date(timeIntervalSince1970: Double(random.below(2_000_000_000)))
      let text = Self.date(&random)
      let expected = FieldModel.date(text, near: now)
      let instant = HTTPDate(text)?.instant(
        near: Instant(nanoseconds: Int64(now.timeIntervalSince1970) * 1_000_000_000))
      let read = instant.map { Date(timeIntervalSince1970: Double($0.nanoseconds / 1_000_000_000)) }
      if expected != nil { dates += 1 }
      // Whether a day is within fifty years, no two calendars say alike.
      if let expected, abs(expected.timeIntervalSince(now) - 50 * 31_557_600) < 2 * 86_400 {
        continue
      }
      #expect(read == expected, "\(text) near \(now)")
    }
    #expect(dates > Self.count / 4 && dates < Self.count * 9 / 10)
  }

  /// A date in one of the forms, now and then with a mistake.
  private static func date(_ random: inout RandomSource) -> String {
    let short = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
    let long = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]
    let months = [
      "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]
    func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    let (day, month) = (random.below(random.chance(0.1) ? 40 : 31) + 1, months[random.below(12)])
    let year = 1_900 + random.below(200)
    let time =
      [random.below(random.chance(0.1) ? 30 : 24), random.below(60), random.below(61)]
      .map(two).joined(separator: ":")
    let weekday = random.below(7)
    var text =
      switch random.below(3) {
      case 0: "\(short[weekday]), \(two(day)) \(month) \(year) \(time) GMT"
      case 1: "\(long[weekday]), \(two(day))-\(month)-\(two(year % 100)) \(time) GMT"
      default: "\(short[weekday]) \(month) \(day < 10 ? " \(day)" : "\(day)") \(time) \(year)"
      }
    if random.chance(0.3) {
      let place = text.index(text.startIndex, offsetBy: random.below(text.count))
      switch random.below(4) {
      case 0: text.remove(at: place)
      case 1: text.insert(" ", at: place)
      case 2: text = text.lowercased()
      default: text = text.replacing("GMT", with: "UTC")
      }
    }
    return text
  }
}
