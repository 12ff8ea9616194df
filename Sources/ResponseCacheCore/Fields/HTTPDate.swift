package import CacheModel

/// A date of a header, in any of the three accepted forms (RFC 9110, section 5.6.7).
package struct HTTPDate: Hashable, Sendable {
  private var year: Int
  /// Whether only the last two digits are known, as in RFC 850.
  private var isShortYear = false
  /// Counted from 1, like the day.
  private var month: Int
  private var day: Int
  private var second: Int

  private static let days = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
  private static let longDays = [
    "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday",
  ]
  private static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]

  /// Parses a text; `nil`: it is not a valid date, with the grammar's upper and lower case.
  ///
  /// The day of the week is not checked.
  package init?(_ text: String) {
    guard
      let date = Self.dayFirst(text, days: Self.days, separator: " ", yearDigits: 4)
        ?? Self.dayFirst(text, days: Self.longDays, separator: "-", yearDigits: 2)
        ?? Self.ansi(text),
      date.day >= 1, date.day <= Self.length(ofMonth: date.month, year: date.year)
    else { return nil }
    self = date
  }

  private init(year: Int, isShortYear: Bool = false, month: Int, day: Int, second: Int) {
    self.year = year
    self.isShortYear = isShortYear
    self.month = month + 1
    self.day = day
    self.second = second
  }

  /// As in `Sun, 06 Nov 1994 08:49:37 GMT`, or `Sunday, 06-Nov-94 08:49:37 GMT`.
  private static func dayFirst(
    _ text: String, days: [String], separator: String, yearDigits: Int
  ) -> HTTPDate? {
    var reader = FieldReader(text)
    guard reader.take(oneOf: days) != nil, reader.take(", "), let day = reader.digits(2),
      reader.take(separator), let month = reader.take(oneOf: months), reader.take(separator),
      let year = reader.digits(yearDigits), reader.take(" "), let second = time(&reader),
      reader.take(" GMT"), reader.isAtEnd
    else { return nil }
    return HTTPDate(
      year: year, isShortYear: yearDigits == 2, month: month, day: day, second: second)
  }

  /// As in `Sun Nov  6 08:49:37 1994`.
  private static func ansi(_ text: String) -> HTTPDate? {
    var reader = FieldReader(text)
    guard reader.take(oneOf: days) != nil, reader.take(" "),
      let month = reader.take(oneOf: months), reader.take(" "),
      let day = reader.take(" ") ? reader.digits(1) : reader.digits(2), reader.take(" "),
      let second = time(&reader), reader.take(" "), let year = reader.digits(4), reader.isAtEnd
    else { return nil }
    return HTTPDate(year: year, month: month, day: day, second: second)
  }

  /// `08:49:37`; a leap second counts.
  private static func time(_ reader: inout FieldReader) -> Int? {
    guard let hour = reader.digits(2), reader.take(":"), let minute = reader.digits(2),
      reader.take(":"), let second = reader.digits(2), hour < 24, minute < 60, second <= 60
    else { return nil }
    return (hour * 60 + minute) * 60 + second
  }

  // MARK: Instants

  /// Returns its instant; a year of two digits is the latest that is at most 50 years after `now`.
  package func instant(near now: Instant) -> Instant {
    guard isShortYear else { return instant(inYear: year) }
    let latest = now.advanced(by: .seconds(Self.secondsOfFiftyYears))
    var year = 2_200 + year
    while year > 100, instant(inYear: year) > latest { year -= 100 }
    return instant(inYear: year)
  }

  private static let secondsOfFiftyYears = 50 * 31_557_600

  private func instant(inYear year: Int) -> Instant {
    Instant.zero.advanced(
      by: .seconds(Self.days(year: year, month: month, day: day) * 86_400 + second))
  }

  /// Returns days from 1970-01-01 in the Gregorian calendar: years begin in March, so that leap days end
  /// them.
  private static func days(year: Int, month: Int, day: Int) -> Int {
    let shifted = month > 2 ? year : year - 1
    let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
    return shifted * 365 + shifted / 4 - shifted / 100 + shifted / 400 + dayOfYear - 719_468
  }

  /// A year of two digits may be of any century: February has 29 days if any of them has.
  private static func length(ofMonth month: Int, year: Int) -> Int {
    switch month {
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }
}
