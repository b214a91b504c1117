// A binding as the caps to draw: `g o` → g, o; `mod+k` → mod, k.
export function keyCaps(keys: string): readonly string[] {
  return keys.split(/[ +]/)
}
