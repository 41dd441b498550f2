RSpec.describe Tally do
  it "counts words" do
    expect(Tally.count("a b a")).to eq("a" => 2, "b" => 1)
  end

  it "counts nothing" do
    expect(Tally.count("")).to eq({})
  end
end
