/** The response, with a function that is called once when its body has ended or the client has gone. */
export function withEnd(response: Response, ended: () => void): Response {
  let isOpen = true;
  const end = (): void => {
    if (isOpen) ended();
    isOpen = false;
  };
  if (response.body === null) {
    end();
    return response;
  }
  const reader = response.body.getReader();
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const read = await reader.read();
        if (!read.done) return controller.enqueue(read.value);
        end();
        controller.close();
      } catch (error) {
        end();
        controller.error(error);
      }
    },
    async cancel(reason) {
      end();
      await reader.cancel(reason);
    },
  });
  return new Response(body, response);
}
