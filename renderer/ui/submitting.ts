// The submission of a form: the page stays.
export const submitting =
  (run: () => unknown) =>
  (event: { preventDefault(): void }): void => {
    event.preventDefault()
    run()
  }
