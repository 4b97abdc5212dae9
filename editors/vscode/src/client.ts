// The client of the protocol, with one voice.
//
// Input: the server's command. Output: a connection to it. Invariant: a server that does not start is an error of
// `start`, and nothing else: the library would show notifications of its own, and start the server again four times. One
// that ends later is started again, and that is the library's business.

import {
  CloseAction, ErrorCodes, LanguageClient, LanguageClientOptions, ResponseError, State,
} from 'vscode-languageclient/node';

const ENDED = 'it ends before it answers';

export class Client extends LanguageClient {
  private hasStarted = false;

  constructor(command: string, args: string[], options: LanguageClientOptions) {
    super('toyc', 'Toy', { command, args }, { ...options, initializationFailedHandler: () => false });
    const usual = this.createDefaultErrorHandler();
    this.clientOptions.errorHandler = {
      error: (error, message, count) => usual.error(error, message, count),
      closed: () => (this.hasStarted ? usual.closed() : { action: CloseAction.DoNotRestart, handled: true }),
    };
  }

  override async start(): Promise<void> {
    await super.start();
    // If the server ends while it starts, the library may have forgotten what it waited for.
    if (this.state !== State.Running) throw new Error(ENDED);
    this.hasStarted = true;
  }

  override error(message: string, data?: unknown, showNotification?: boolean | 'force'): void {
    super.error(message, data, this.hasStarted ? showNotification : false);
  }
}

/** Why `start` failed. */
export function reason(error: unknown): string {
  // The library's own words for a process that ends are about its pipes.
  const ended: number[] = [ErrorCodes.PendingResponseRejected, ErrorCodes.MessageWriteError];
  if (error instanceof ResponseError && ended.includes(error.code)) return ENDED;
  return error instanceof Error ? error.message : String(error);
}
