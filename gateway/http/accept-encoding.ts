// The compressed form that a client accepts, if any.
export type Encoding = 'br' | 'gzip'

const ENCODINGS: readonly Encoding[] = ['br', 'gzip']

/** `q=0` is a refusal; otherwise the smaller form wins, independent of its weight. */
export function acceptedEncoding(header: string | undefined, offered = ENCODINGS): Encoding | undefined {
  const offers = (header ?? '').split(',').map((offer) => offer.trim().split(';'))
  const isAccepted = (encoding: Encoding): boolean =>
    offers.some(([name, weight]) => name === encoding && !/q=0(\.0*)?$/.test(weight ?? ''))
  return ENCODINGS.find((encoding) => offered.includes(encoding) && isAccepted(encoding))
}
