// Shared by signmessagewithprivkey and verifymessage. Core: rpc/misc.cpp.

export const bytesOf = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, 'utf8'));
