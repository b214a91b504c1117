/** By name; `package` is what has to be installed. */
export const CLIENTS: Readonly<Record<string, { readonly package: string }>>
