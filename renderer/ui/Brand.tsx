// The mark: a gantry crane with its load.
export function Brand({ className }: { readonly className?: string }) {
  return (
    <svg
      aria-hidden="true"
      viewBox="0 0 32 32"
      fill="none"
      strokeLinecap="round"
      strokeLinejoin="round"
      className={className}
    >
      <path d="M7 26V9h18v17M3.5 9h25" className="stroke-ink" strokeWidth="2.6" />
      <path d="M16 9v7" className="stroke-brand" strokeWidth="2.6" />
      <rect x="12.4" y="16" width="7.2" height="6.2" rx="1.4" className="fill-brand" />
    </svg>
  )
}
