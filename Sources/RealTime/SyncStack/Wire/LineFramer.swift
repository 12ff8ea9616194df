import NIOCore

/// Cuts a stream of bytes into lines, and gives up on a peer whose line is too long or too slow.
///
/// Holds at most one line that has not ended. After it has given up, it passes on nothing more.
final class LineFramer: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  /// A line without its end.
  typealias InboundOut = ByteBuffer

  private let limits: WireLimits
  private var pending = ByteBuffer()
  /// How many bytes of `pending` are known to hold no end of a line.
  private var scanned = 0
  private var hasGivenUp = false
  private var deadline: Scheduled<Void>?

  init(limits: WireLimits) {
    self.limits = limits
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard !hasGivenUp else { return }
    var bytes = unwrapInboundIn(data)
    if pending.readableBytes == 0 {
      pending = bytes
    } else {
      pending.writeBuffer(&bytes)
    }
    var hasEndedLine = false
    while let length = lengthOfLine() {
      guard length <= limits.lineBytes else { break }
      guard let line = pending.readSlice(length: length) else { return }
      pending.moveReaderIndex(forwardBy: 1)
      scanned = 0
      hasEndedLine = true
      context.fireChannelRead(wrapInboundOut(line))
      guard !hasGivenUp else { return }
    }
    guard pending.readableBytes <= limits.lineBytes else {
      giveUp(.lineTooLong(limit: limits.lineBytes), context: context)
      return
    }
    watch(context: context, isNewLine: hasEndedLine)
  }

  func handlerRemoved(context: ChannelHandlerContext) {
    hasGivenUp = true
    deadline?.cancel()
    pending = ByteBuffer()
  }

  private func lengthOfLine() -> Int? {
    let view = pending.readableBytesView
    let start = view.index(view.startIndex, offsetBy: scanned)
    guard let end = view[start...].firstIndex(of: UInt8(ascii: "\n")) else {
      scanned = view.count
      return nil
    }
    return view.distance(from: view.startIndex, to: end)
  }

  /// Waits for the end of a line that has begun: from its first byte, however many follow.
  private func watch(context: ChannelHandlerContext, isNewLine: Bool) {
    if isNewLine || pending.readableBytes == 0 {
      deadline?.cancel()
      deadline = nil
    }
    guard pending.readableBytes > 0 else {
      pending = ByteBuffer()
      return
    }
    guard deadline == nil else { return }
    let seconds = limits.lineSeconds
    deadline = context.eventLoop.assumeIsolated().scheduleTask(
      in: .nanoseconds(Int64(seconds * 1e9))
    ) { [weak self] in
      self?.giveUp(.lineTooSlow(seconds: seconds), context: context)
    }
  }

  private func giveUp(_ error: SyncProtocolError, context: ChannelHandlerContext) {
    guard !hasGivenUp else { return }
    hasGivenUp = true
    deadline?.cancel()
    pending = ByteBuffer()
    context.fireErrorCaught(error)
  }
}
