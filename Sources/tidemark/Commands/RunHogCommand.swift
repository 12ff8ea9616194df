import ArgumentParser
import Foundation
import Measurement

/// A process that keeps a processor busy; started by `measure --hogs`, and of no use alone.
struct RunHogCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "run-hog",
    abstract: "A process that spins; `measure --hogs` starts and stops it.",
    shouldDisplay: false)

  func run() async throws {
    // It stands for other work on the machine, which has no privilege.
    Scheduling.endRealTime()
    let orders = ChildOrders.lines()
    Thread.detachNewThread { while true {} }
    try Console.write("ready\n")
    for await _ in orders {}
  }
}
