import { RPC_CODE, RpcError } from '../../rpc/errors.js';

/** Error of a job without a result: its thread failed, or its clients have disconnected. */
export class ReadFault extends RpcError {
  constructor(message: string) {
    super(RPC_CODE.MISC_ERROR, message);
  }
}

/** A rendered result. Replies that contain it share its parts. */
export class SharedResult {
  readonly parts: readonly Uint8Array[];
  readonly byteLength: number;

  constructor(parts: readonly Uint8Array[]) {
    this.parts = parts;
    this.byteLength = parts.reduce((sum, part) => sum + part.byteLength, 0);
  }
}
