Deno.serve((request) => {
  const name = new URL(request.url).searchParams.get("name") ?? "you";
  return Response.json({ hello: name });
});
