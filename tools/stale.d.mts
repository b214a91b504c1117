export function sourcesTouched(): number
export function isStale(): boolean
export function markBuilt(touched: number): void
