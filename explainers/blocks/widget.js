export default { render() { return () => {}; } };
