import CacheModel
import FoundationEssentials
import NIOCore
import NIOPosix

/// One device, which sends its script at predetermined random instants.
///
/// It runs on one event loop, whose timers are more precise than those of tasks.
final class Device {
  private let number: Int
  private let script: MutationScript
  private let arrivals: ArrivalProcess
  private let endpoint: SyncEndpoint
  private let limits: WireLimits
  private let loop: any EventLoop
  private let clock = MonotonicClock()
  private let decoder = SyncDecoder()

  private var channel: (any Channel)?
  /// The index of the next mutation of the script.
  private var next = 0
  private var start: Instant?
  private var accepted = 0
  private var done: EventLoopPromise<Int>?
  private var isWelcome: EventLoopPromise<Void>?
  private var end: (any Error)?

  init(
    number: Int, script: MutationScript, arrivals: ArrivalProcess, endpoint: SyncEndpoint,
    limits: WireLimits, loop: any EventLoop
  ) {
    self.number = number
    self.script = script
    self.arrivals = arrivals
    self.endpoint = endpoint
    self.limits = limits
    self.loop = loop
  }

  // MARK: Connecting

  /// Connects and sends the hello; complete when the server has answered.
  func connect() -> EventLoopFuture<Void> {
    let promise = loop.makePromise(of: Void.self)
    isWelcome = promise
    let own = NIOLoopBound(self, eventLoop: loop)
    let limits = limits
    let bootstrap = ClientBootstrap(group: loop)
      .connectTimeout(.seconds(2))
      .channelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandlers([
            LineFramer(limits: limits), DeviceConnection(device: own.value),
          ])
        }
      }
    let connecting =
      switch endpoint {
      case .unix(let path): bootstrap.connect(unixDomainSocketPath: path)
      case .tcp(let host, let port): bootstrap.connect(host: host, port: port)
      }
    connecting.assumeIsolated().whenComplete { result in
      switch result {
      case .success(let channel): self.opened(channel)
      case .failure: self.fail(.unreachable("\(self.endpoint)"))
      }
    }
    return promise.futureResult
  }

  private func opened(_ channel: any Channel) {
    guard end == nil else { return channel.close(promise: nil) }
    self.channel = channel
    let hello = SyncMessage.hello(
      .init(version: SyncMessage.version, role: .device, name: "device \(number + 1)"))
    guard let line = try? SyncEncoder().line(of: hello) else { return }
    channel.writeAndFlush(ByteBuffer(bytes: line), promise: nil)
  }

  /// Fails the device.
  func fail(_ error: SyncProtocolError) {
    guard end == nil else { return }
    end = error
    isWelcome?.fail(error)
    isWelcome = nil
    done?.fail(error)
    done = nil
    channel?.close(promise: nil)
  }

  /// Sends a goodbye, and abandons unsent mutations.
  func stop() {
    if let channel, let line = try? SyncEncoder().line(of: .bye) {
      channel.writeAndFlush(ByteBuffer(bytes: line), promise: nil)
    }
    fail(.closed)
  }

  // MARK: Sending

  /// - Returns: the number of accepted mutations, when all are.
  func run(from start: Instant) -> EventLoopFuture<Int> {
    let promise = loop.makePromise(of: Int.self)
    if let end {
      promise.fail(end)
      return promise.futureResult
    }
    guard script.count > 0 else {
      promise.succeed(0)
      return promise.futureResult
    }
    self.start = start
    done = promise
    sendDue()
    return promise.futureResult
  }

  /// Sends the due mutations, and schedules the next.
  private func sendDue() {
    guard let start, end == nil else { return }
    while next < script.count {
      let intended = start.nanoseconds + arrivals.offsets[next]
      guard intended <= clock.now.nanoseconds else { break }
      send(next, intended: intended)
      next += 1
    }
    guard next < script.count else { return }
    let wait = start.nanoseconds + arrivals.offsets[next] - clock.now.nanoseconds
    loop.assumeIsolated().scheduleTask(in: .nanoseconds(max(wait, 0))) { self.sendDue() }
  }

  private func send(_ index: Int, intended: Int64) {
    guard let channel else { return }
    let line = script.line(index, intended: intended, sent: clock.now.nanoseconds)
    channel.writeAndFlush(ByteBuffer(bytes: line), promise: nil)
  }

  // MARK: Receiving

  func receive(_ line: ByteBuffer) {
    do throws(SyncProtocolError) {
      switch try decoder.message(from: Data(line.readableBytesView)) {
      case .welcome:
        isWelcome?.succeed()
        isWelcome = nil
      case .accepted:
        accepted += 1
        if accepted == script.count {
          done?.succeed(accepted)
          done = nil
        }
      case .failure(let failure): throw .refused(failure.reason)
      case .bye: break
      case let message: throw .unexpected("a \(message.name) for a device")
      }
    } catch {
      fail(error)
    }
  }
}

/// A device's end of a connection.
private final class DeviceConnection: ChannelInboundHandler {
  /// A line without its terminator.
  typealias InboundIn = ByteBuffer

  private let device: Device

  init(device: Device) {
    self.device = device
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    device.receive(unwrapInboundIn(data))
  }

  func channelInactive(context: ChannelHandlerContext) {
    device.fail(.closed)
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    context.close(promise: nil)
  }
}
