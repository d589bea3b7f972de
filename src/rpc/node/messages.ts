// What signmessagewithprivkey and verifymessage share: texts signed with the key of an address. Core: rpc/misc.cpp.

export const bytesOf = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, 'utf8'));
