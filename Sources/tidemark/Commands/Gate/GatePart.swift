import ArgumentParser
import CommandLineInterface

/// A part of what `gate` compares, each by a test of its own.
enum GatePart: String, ExpressibleByArgument, CaseIterable {
  /// What simulations give.
  case exact
  /// Bytes and allocations.
  case memory
  /// By callgrind.
  case instructions
  /// Of two builds in turn.
  case times
}
