import ArgumentParser
import Measurement

/// `--vary devices=1,10,100`: one run for each value of an axis.
struct Variation: ExpressibleByArgument, Sendable {
  enum Axis: String, CaseIterable, Sendable {
    case devices, observers, batch, rate
  }

  var axis: Axis
  var values: [Int]

  static let mostValues = 8

  /// - Returns: `nil` where it is no axis with values.
  init?(argument: String) {
    let parts = argument.split(separator: "=", omittingEmptySubsequences: false)
    guard parts.count == 2, let axis = Axis(rawValue: String(parts[0])) else { return nil }
    let texts = parts[1].split(separator: ",", omittingEmptySubsequences: false)
    let values = texts.compactMap { Int($0) }
    guard !values.isEmpty, values.count == texts.count else { return nil }
    self.axis = axis
    self.values = values
  }

  static var allValueStrings: [String] { Axis.allCases.map { "\($0.rawValue)=N,N" } }

  /// The option that the axis stands for.
  var option: String { "--\(axis.rawValue)" }

  /// Gives the options one value.
  func apply(_ value: Int, to options: inout SocketOptions, rate: inout Double?) {
    switch axis {
    case .devices: options.devices = value
    case .observers: options.observers = value
    case .batch: options.batch = value
    case .rate: rate = Double(value)
    }
  }

  /// What tells the rows of a value from those of others, where the plan itself does not.
  func label(of value: Int) -> String? {
    switch axis {
    case .devices, .rate: "\(axis.rawValue)-\(value)"
    case .observers, .batch: nil
    }
  }
}
